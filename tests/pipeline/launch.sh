#!/bin/sh
# SPDX-License-Identifier: MIT
# launch.sh PLUGIN: lines that people write, by what they leave in files.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
failed=0

fail() {
    echo "$1" >&2
    failed=1
}

launch() {
    gst-launch-1.0 -q "$@" >log 2>&1 || { fail "gst-launch-1.0 $* exits with $?"; cat log >&2; }
}

# The bytes of a file, in decimal, on one line.
bytes() {
    od -An -v -tu1 "$1" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# rows STEP SKIP KEEP: from each STEP bytes of a line of bytes, KEEP of them after SKIP; a line each.
rows() {
    tr ' ' '\n' | awk -v step="$1" -v skip="$2" -v keep="$3" '
        { i = (NR - 1) % step }
        i >= skip && i < skip + keep { printf "%s%s", $1, i < skip + keep - 1 ? " " : "\n" }'
}

# What RGB bytes, a row a line, are in gray.
gray() {
    awk '{
        for (i = 1; i < NF; i += 3)
            printf "%d%s", int((299 * $i + 587 * $(i + 1) + 114 * $(i + 2) + 500) / 1000), i + 3 < NF ? " " : "\n"
    }'
}

# What a Y a line, in limited range, is in gray.
full() {
    awk '{ n = 510 * ($1 - 16) + 219; g = n < 0 ? 0 : int(n / 438); print (g > 255 ? 255 : g) }'
}

# same WHAT GOT WANTED
same() {
    [ "$2" = "$3" ] || fail "$1:
got
$2
wanted
$3"
}

echo "== the last frames are not lost"
launch videotestsrc num-buffers=7 ! video/x-raw,format=RGB,width=16,height=16 ! cudagray ! \
    multifilesink location=f%02d.raw
same "files" "$(ls f*.raw | wc -l)" 7
for file in f*.raw; do
    same "size of $file" "$(wc -c <"$file")" 256
done

echo "== rows that start at odd bytes"
# cudagray is given the source's rows from byte 31 on, every 28 bytes.
launch videotestsrc num-buffers=1 pattern=smpte ! video/x-raw,format=RGB,width=9,height=3 ! tee name=t \
    t. ! queue ! filesink location=rgb.raw \
    t. ! queue ! videocrop left=1 right=3 top=1 ! cudagray ! filesink location=c.raw
same "size of the source" "$(wc -c <rgb.raw)" 84
bytes rgb.raw | rows 28 3 15 | tail -n 2 | gray >wanted
bytes c.raw | rows 8 0 5 >got
same "cropped rows" "$(cat got)" "$(cat wanted)"
same "cropped rows, as they always were" "$(cat got)" "226 179 150 150 105
255 255 104 0 19"

echo "== red, green and blue in every format"
for format in RGB BGR RGBx BGRx xRGB xBGR RGBA BGRA ARGB ABGR GBR GBRA RGBP BGRP I420 NV12 Y444 YUY2 UYVY AYUV VUYA; do
    caps="video/x-raw,format=$format,width=1,height=1"
    launch videotestsrc pattern=red num-buffers=1 ! "$caps" ! cudagray ! filesink location=red.raw \
        videotestsrc pattern=green num-buffers=1 ! "$caps" ! cudagray ! filesink location=green.raw \
        videotestsrc pattern=blue num-buffers=1 ! "$caps" ! cudagray ! filesink location=blue.raw
    same "$format" "$(for c in red green blue; do bytes $c.raw | cut -d' ' -f1; done | tr '\n' ' ')" "76 150 29 "
    rm -f red.raw green.raw blue.raw
done

echo "== the Y of every YUV format"
# planes: the first 128 bytes are the Y of 16x8; packed: the Y is byte SKIP of each STEP.
for format in I420 YV12 NV12 NV21 NV16 NV61 NV24 Y41B Y42B Y444 YUV9 YVU9 YUY2:2:0 UYVY:2:1 YVYU:2:0 VYUY:2:1 \
    AYUV:4:1 VUYA:4:2; do
    layout=${format#*:} step=1 skip=0
    [ "$layout" = "$format" ] || { step=${layout%:*} skip=${layout#*:}; }
    launch videotestsrc num-buffers=1 pattern=snow ! "video/x-raw,format=${format%%:*},width=16,height=8" ! tee name=t \
        t. ! queue ! filesink location=yuv.raw  t. ! queue ! cudagray ! filesink location=gray.raw
    head -c $((128 * step)) yuv.raw >y.raw
    same "$format" "$(bytes gray.raw | tr ' ' '\n')" "$(bytes y.raw | rows "$step" "$skip" 1 | full)"
done

echo "== GStreamer's latency tracer"
trace() {
    GST_TRACERS='latency(flags=element)' GST_DEBUG=GST_TRACER:7 GST_DEBUG_FILE=trace.log \
        timeout 15 gst-launch-1.0 -q videotestsrc num-buffers=3 ! "$1" ! fakesink
}
# 1.26.2's hangs, whatever the element.
if trace identity; then
    trace cudagray || fail "gst-launch-1.0 with the tracer exits with $?"
    same "lines" "$(grep -c 'element-latency.*element=(string)cudagray0.*time=(guint64)[1-9]' trace.log)" 3
else
    echo "left out: that of this GStreamer does not end with identity either"
fi

exit "$failed"
