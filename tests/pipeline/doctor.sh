#!/bin/sh
# SPDX-License-Identifier: MIT
# doctor.sh SOURCE: what tools/doctor says of pipelines, by its lines and its exit status.
set -eu
doctor=$1/tools/doctor
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
    echo "$1" >&2
    sed 's/^/    /' "$tmp/out" >&2
    failed=1
}

# ask WHAT STATUS PATTERN... -- PIPELINE: the doctor exits with 0 or not (STATUS is "well" or "ill"), and each
# pattern is that of a line.
ask() {
    what=$1 wanted=$2 status=well
    shift 2
    : >"$tmp/patterns"
    while [ "$1" != -- ]; do
        echo "$1" >>"$tmp/patterns"
        shift
    done
    shift
    echo "== $what"
    "$doctor" "$@" >"$tmp/out" 2>&1 || status=ill
    [ "$status" = "$wanted" ] || fail "$what: the doctor finds the pipeline $status"
    while read -r pattern; do
        grep -Eq -- "$pattern" "$tmp/out" || fail "$what: no line like: $pattern"
    done <"$tmp/patterns"
}

ask 'a test picture' well '^Plugin Version: [0-9.]+$' '^Pipeline: videotestsrc .* ! cudagray ! fakesink$' \
    '^cudagray0: converting on ' '^cudagray0 sink: video/x-raw, format=RGB, width=1920,' \
    '^cudagray0 src: video/x-raw, format=GRAY8, width=1920,' '^cudagray0: backend c(pu|uda, CUDA device [0-9]+)$' \
    '^  30 frames by the [CG]PU' --

ask 'two elements' well '^a: backend cpu$' '^  3 frames by the CPU$' '^b: backend cpu$' '^  1 frame passed on,' -- \
    videotestsrc num-buffers=3 ! video/x-raw,format=YUY2 ! cudagray backend=cpu name=a ! fakesink \
    videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8 ! cudagray backend=cpu name=b ! fakesink

export CUDA_VISIBLE_DEVICES=''
ask 'no GPU' well '^Environment: CUDA_VISIBLE_DEVICES=$' '^cudagray0: converting on the CPU: .' '^  1 frame by the CPU$' \
    -- videotestsrc num-buffers=1 ! cudagray ! fakesink
ask 'no GPU, but asked for' ill '^ERROR: .*cudagray0: No usable CUDA GPU: .' -- \
    videotestsrc num-buffers=1 ! cudagray backend=cuda ! fakesink

ask 'frames that are too short' ill '^ERROR: .*10 incomplete frames in a row: got 1000 bytes, needed' \
    '^  10 frames dropped: incomplete$' -- \
    fakesrc num-buffers=12 sizetype=fixed sizemax=1000 ! \
    video/x-raw,format=RGB,width=100,height=100,framerate=30/1 ! cudagray ! fakesink

export GST_PLUGIN_PATH_1_0=/nowhere GST_PLUGIN_SYSTEM_PATH_1_0=/nowhere GST_REGISTRY_1_0="$tmp/registry.bin" BUILD=/nowhere
ask 'no plugin' ill 'GStreamer finds no cudagray' '0 blacklisted files' --

exit "$failed"
