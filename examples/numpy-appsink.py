#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Gray frames as NumPy arrays, by PyGObject and an appsink.

    GST_PLUGIN_PATH=build/gst /usr/bin/python3 examples/numpy-appsink.py
    GST_PLUGIN_PATH=build/gst /usr/bin/python3 examples/numpy-appsink.py "v4l2src num-buffers=10"

prints the shape, the strides and a checksum of each frame.  Without an argument it
takes a test picture whose width, 641, is no multiple of 4.
"""

import hashlib
import sys

import gi
import numpy as np

for name in ("Gst", "GstApp", "GstVideo"):
    gi.require_version(name, "1.0")
from gi.repository import Gst, GstApp, GstVideo  # noqa: E402

TEST_SOURCE = (
    "videotestsrc num-buffers=3 pattern=smpte75 horizontal-speed=1 ! video/x-raw,format=RGB,width=641,height=480"
)


def to_numpy(sample):
    """The pixels of a GRAY8 sample.  Between the rows there may be a gap, which the strides leave out."""
    buffer = sample.get_buffer()
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    # Where the buffer says so itself, rows are not where the caps would have them.
    layout = GstVideo.buffer_get_video_meta(buffer) or info
    return np.ndarray(
        (info.height, info.width),
        np.uint8,
        buffer.extract_dup(0, buffer.get_size()),
        layout.offset[0],
        (layout.stride[0], 1),
    )


def frames(source):
    """Plays source through cudagray and gives each gray frame as an array."""
    pipeline = Gst.parse_launch(f"{source} ! cudagray ! video/x-raw,format=GRAY8 ! appsink name=sink")
    sink = pipeline.get_by_name("sink")
    bus = pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while not sink.is_eos():
            sample = sink.try_pull_sample(Gst.SECOND // 10)
            if sample is not None:
                yield to_numpy(sample)
            message = bus.pop_filtered(Gst.MessageType.ERROR)
            if message is not None:
                raise message.parse_error().gerror
    finally:
        pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    Gst.init(None)
    for number, gray in enumerate(frames(sys.argv[1] if len(sys.argv) > 1 else TEST_SOURCE)):
        checksum = hashlib.sha256(gray.tobytes()).hexdigest()[:16]
        print(f"frame {number}: shape {gray.shape}, strides {gray.strides}, SHA-256 {checksum}")
