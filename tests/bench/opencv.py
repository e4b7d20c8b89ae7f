#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OpenCV's cvtColor on the CPU, as a third party beside pipeline.c: the call
alone, on one thread and on all, over frames that rotate."""
import resource
import sys
import time

try:
    import cv2
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def cpu():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


def measure(threads, name, width, height):
    cv2.setNumThreads(threads)
    n = max(3, min(64, (256 << 20) // (3 * width * height)))
    frames = np.random.default_rng(1).integers(
        0, 256, (n, height, width, 3), np.uint8)
    gray = [np.empty((height, width), np.uint8) for _ in range(n)]
    times = []
    busy = 0.0
    for i in range(-2 * n, max(100, 4 * n)):
        before, start = cpu(), time.perf_counter()
        cv2.cvtColor(frames[i % n], cv2.COLOR_RGB2GRAY, gray[i % n])
        if i >= 0:
            times.append((time.perf_counter() - start) * 1e6)
            busy += (cpu() - before) * 1e6
    busy /= len(times)
    times.sort()
    p10, median, p90 = (times[int(q * (len(times) - 1))] for q in (.1, .5, .9))
    print(f"pipeline,{name},RGB,{width},{height},1,{median:.2f},{p10:.2f},"
          f"{p90:.2f},{busy:.2f},{3 * width * height / median / 1e3:.2f}")


for size in ((640, 480), (1280, 720), (1920, 1080), (3840, 2160), (7680, 4320)):
    measure(1, "opencv-1", *size)
    measure(-1, "opencv-all", *size)
