# SPDX-License-Identifier: MIT
"""Gray frames in OpenCV: what people who write VideoCapture lines get."""

import sys


def skip(why):
    print("skipped:", why)
    sys.exit(77)


try:
    import cv2
    import numpy
except ImportError as e:
    skip(e)

SOURCE = "videotestsrc num-buffers=5 {}! video/x-raw,format=BGR,width={},height=480 "
SMPTE = ""
# Drawn alike in every pipeline; the default pattern has a noisy corner.
COLOURS = "pattern=colors "


def capture(line):
    video = cv2.VideoCapture(line, cv2.CAP_GSTREAMER)
    assert video.isOpened(), line
    frames = []
    while True:
        got, frame = video.read()
        if not got:
            video.release()
            return frames
        frames.append(frame)


def check(pattern, width, rest):
    line = SOURCE.format(pattern, width) + rest
    frames = capture(line)
    assert len(frames) == 5, (line, len(frames))
    for frame in frames:
        assert frame.dtype == numpy.uint8, (line, frame.dtype)
        assert frame.shape == (480, width), (line, frame.shape)
    return frames


def check_values(width):
    gray = check(COLOURS, width, "! cudagray ! appsink")
    colour = capture(SOURCE.format(COLOURS, width) + "! appsink")
    assert len(colour) == 5
    for bgr, got in zip(colour, gray):
        b, g, r = (bgr[:, :, i].astype(numpy.int64) for i in range(3))
        exact = (299 * r + 587 * g + 114 * b + 500) // 1000
        assert numpy.array_equal(got, exact), width


if "GStreamer" not in cv2.getBuildInformation() or cv2.CAP_GSTREAMER not in cv2.videoio_registry.getBackends():
    skip("this OpenCV has no GStreamer")
for width in (641, 640):
    check(SMPTE, width, "! cudagray ! video/x-raw,format=GRAY8 ! appsink")
    check(SMPTE, width, "! cudagray ! appsink")
    check_values(width)
