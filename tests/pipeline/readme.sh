#!/bin/sh
# SPDX-License-Identifier: MIT
# readme.sh SOURCE: runs the gst-launch lines of the README as printed, but those that need a
# camera or a screen, or GStreamer's CUDA elements where these find no GPU.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s "$1/tools" "$dir/tools"
cd "$dir"
sed -n 's/^    \(gst-launch-1.0 .*\)/\1/p' "$1/README.md" | grep -vE 'v4l2src|autovideosink' >lines
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
[ "$count" -ge 3 ]
[ -s gray.mkv ] && [ -s gray.raw ]
