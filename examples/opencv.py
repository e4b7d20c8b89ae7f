#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Gray frames in OpenCV, by a VideoCapture with a pipeline.

    GST_PLUGIN_PATH=build/gst /usr/bin/python3 examples/opencv.py
    GST_PLUGIN_PATH=build/gst /usr/bin/python3 examples/opencv.py "filesrc location=film.webm ! matroskademux ! vp8dec"

prints how far the frames are from those of cv2.cvtColor, which rounds some
pixels the other way.  Debian's OpenCV (python3-opencv) has GStreamer, those of
PyPI have not.  The source is played twice, so it must be no camera.
"""

import sys

import cv2

TEST_SOURCE = "videotestsrc num-buffers=5 pattern=colors ! video/x-raw,format=BGR,width=641,height=480"


def frames(line):
    video = cv2.VideoCapture(line, cv2.CAP_GSTREAMER)
    if not video.isOpened():
        sys.exit(f"OpenCV can't play {line}")
    while True:
        got, frame = video.read()
        if not got:
            break
        yield frame
    video.release()


if __name__ == "__main__":
    source = sys.argv[1] if len(sys.argv) > 1 else TEST_SOURCE
    gray = frames(f"{source} ! cudagray ! video/x-raw,format=GRAY8 ! appsink")
    colour = frames(f"{source} ! videoconvert ! video/x-raw,format=BGR ! appsink")
    for number, (got, bgr) in enumerate(zip(gray, colour)):
        difference = cv2.absdiff(got, cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY))
        print(f"frame {number}: {got.dtype} {got.shape}, largest difference {difference.max()}")
