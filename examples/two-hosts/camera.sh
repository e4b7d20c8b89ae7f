#!/bin/sh
# SPDX-License-Identifier: MIT
# camera.sh GRAY_HOST CAMERA [FRAMES]: sends RGB frames, here a test picture; take v4l2src and
# videoconvert for a camera's.  Start it last, with the number of the camera: 1, 2, ...
#
# RGB is what RTP's payload for raw video (RFC 4175) has, and RFC 4571 puts RTP on TCP, where
# nothing is lost.
set -eu
exec gst-launch-1.0 videotestsrc is-live=true num-buffers="${3:-90}" pattern=smpte75 horizontal-speed="$2" \
    ! video/x-raw,format=RGB,width="${WIDTH:-640}",height="${HEIGHT:-480}",framerate=30/1 \
    ! rtpvrawpay ! rtpstreampay ! tcpclientsink host="$1" port=$((${PORT:-5000} + $2))
