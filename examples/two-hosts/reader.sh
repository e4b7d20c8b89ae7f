#!/bin/sh
# SPDX-License-Identifier: MIT
# reader.sh [CAMERAS]: takes the gray frames of each camera, here into files gray-1.raw, gray-2.raw, ...
# Start it first.
set -eu
gray="application/x-rtp-stream,media=application,clock-rate=90000,encoding-name=X-GST,payload=96"
cameras=${1:-1}
set --
for camera in $(seq "$cameras"); do
    set -- "$@" tcpserversrc host=0.0.0.0 port=$((${PORT:-5000} + 100 + camera)) do-timestamp=true \
        ! "$gray" ! rtpstreamdepay ! rtpjitterbuffer ! rtpgstdepay ! filesink location="gray-$camera.raw" async=false
done
exec gst-launch-1.0 "$@"
