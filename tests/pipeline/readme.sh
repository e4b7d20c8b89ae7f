#!/bin/sh
# SPDX-License-Identifier: MIT
# readme.sh SOURCE: runs the gst-launch lines of README.md and docs/using.md as printed, but those that need a
# camera or a screen, or GStreamer's CUDA elements where these find no GPU.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s "$1/tools" "$dir/tools"
cd "$dir"
sed -n 's/^    \(gst-launch-1.0 .*\)/\1/p' "$1/README.md" "$1/docs/using.md" | grep -vE 'v4l2src|autovideosink' >lines
count=0
while read -r line; do
    case $line in
        *cudaupload*) gst-inspect-1.0 --exists cudaupload || {
            echo "not run, no cudaupload: $line"
            continue
        } ;;
    esac
    echo "$line"
    sh -c "$line" >log 2>&1 </dev/null || {
        cat log
        exit 1
    }
    count=$((count + 1))
done <lines
[ "$count" -ge 9 ]
[ -s gray.mkv ] && [ -s gray.raw ] && [ -s gray16.png ]
for luma in 76 62 54; do
    [ "$(od -An -tu1 -N1 $luma.raw | tr -d ' ')" = $luma ]
done
