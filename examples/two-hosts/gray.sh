#!/bin/sh
# SPDX-License-Identifier: MIT
# gray.sh READER [CAMERAS]: takes the RGB frames of each camera, makes them gray, and sends them on.  All
# in one process, for a GPU has one context a process.
#
# rtpjitterbuffer makes times of the pipeline from RTP's.  RFC 4175 has no gray: rtpgstpay carries frames
# of any caps as they are, to another GStreamer.
set -eu
reader=$1 cameras=${2:-1}
rgb="application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=RAW,payload=96,sampling=RGB"
rgb="$rgb,depth=(string)8,width=(string)${WIDTH:-640},height=(string)${HEIGHT:-480}"
set --
for camera in $(seq "$cameras"); do
    set -- "$@" tcpserversrc host=0.0.0.0 port=$((${PORT:-5000} + camera)) do-timestamp=true \
        ! "$rgb" ! rtpstreamdepay ! rtpjitterbuffer ! rtpvrawdepay \
        ! cudagray ! video/x-raw,format=GRAY8 \
        ! rtpgstpay ! rtpstreampay ! tcpclientsink host="$reader" port=$((${PORT:-5000} + 100 + camera)) async=false
done
exec gst-launch-1.0 "$@"
