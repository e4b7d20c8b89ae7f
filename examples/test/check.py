#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py EXAMPLE [FILE...] [cuda | simulated]: runs an example and checks what it prints.

With cuda it exits with 77 where there is no GPU, with simulated there has to be one.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 641, 480
# What cuda-consumer.c and numpy-appsink.py take by themselves.
BARS = "videotestsrc num-buffers=3 pattern=smpte75 horizontal-speed=1 ! video/x-raw,format=RGB,width=641,height=480"


def skip(why):
    print("skipped:", why)
    sys.exit(77)


try:
    import numpy as np
except ImportError as error:
    skip(error)


def run(*command, status=0):
    """What a command prints, a line each, and what it complains of."""
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    assert done.returncode == status, (command, done.returncode)
    return done.stdout.splitlines(), done.stderr


def play(line):
    """The bytes that a pipeline brings out, as NumPy has them."""
    with tempfile.NamedTemporaryFile() as file:
        run("gst-launch-1.0", "-q", *f"{line} ! filesink location={file.name}".split())
        return np.fromfile(file, np.uint8)


def pixels(data, width=WIDTH, height=HEIGHT, bytes_per_pixel=1):
    """Frames as GStreamer lays them out, without the gap between the rows."""
    row = width * bytes_per_pixel
    stride = (row + 3) // 4 * 4
    assert data.size % (stride * height) == 0 and data.size > 0
    return data.reshape(-1, height, stride)[:, :, :row]


def gray(rgb):
    """What GRAY8 has to be: exact, and rounded half up."""
    r, g, b = (rgb[..., i::3].astype(np.int64) for i in range(3))
    return (299 * r + 587 * g + 114 * b + 500) // 1000


def sha256(frame):
    return hashlib.sha256(frame.astype(np.uint8).tobytes()).hexdigest()[:16]


def test_frames(source):
    return gray(pixels(play(source), bytes_per_pixel=3))


def equal(got, wanted):
    assert got == wanted, f"\ngot\n{got}\nwanted\n{wanted}"


def check_page(lines):
    """docs/examples.md has these lines."""
    with open(os.path.join(os.path.dirname(__file__), "../../docs/examples.md")) as page:
        text = page.read()
    for line in lines:
        assert f"    {line}\n" in text, line


def check_stats(line, frames, in_place):
    """The line that tells the frames' way; in_place is how a GPU has to have taken them."""
    match = re.fullmatch(r"backend (cuda|cpu); frames in place (\d+), staged (\d+), by the CPU (\d+)", line)
    assert match, line
    counts = [int(count) for count in match.groups()[1:]]
    equal(sum(counts), frames)
    assert "simulated" not in sys.argv or match[1] == "cuda", line
    if match[1] == "cpu":
        if "cuda" in sys.argv:
            skip("no GPU")
        equal(counts, [0, 0, frames])
    elif in_place:
        equal(counts, [frames, 0, 0])
    else:
        equal(counts[0], 0)


def check_app(program):
    x, y = np.meshgrid(np.arange(WIDTH) % 256, np.arange(HEIGHT) % 256)
    wanted = []
    for n in range(5):
        rgb = np.stack([x, y, np.full_like(x, 40 * n)], axis=-1)
        frame = gray(rgb.reshape(HEIGHT, -1))
        wanted.append(f"frame {n}: {WIDTH}x{HEIGHT}, rows 644 bytes apart, SHA-256 {sha256(frame)}")
    for way in ("pool", "plain"):
        lines, complaint = run(program, way)
        equal(lines[:-1], wanted)
        equal(complaint, "")
        check_page(wanted)
        check_stats(lines[-1], 5, way == "pool")
    # Errors are told, and make the exit code: of the description, of an element on the bus.
    lines, complaint = run(program, "pool", "nonsense", status=1)
    assert complaint.startswith("error: "), complaint
    lines, complaint = run(program, "pool", "cuda cuda-device-id=99", status=1)
    assert complaint.startswith("error: gray: "), complaint


def check_own_memory(program):
    with tempfile.NamedTemporaryFile() as file:
        lines, _ = run(program, file.name)
        got = pixels(np.fromfile(file, np.uint8))
    i = np.arange(3 * WIDTH * HEIGHT).reshape(HEIGHT, -1)
    wanted = np.stack([gray((i * 7 + i // (3 * WIDTH) + 40 * n) % 256) for n in range(5)])
    assert np.array_equal(got, wanted)
    check_stats(lines[-1], 5, True)


def check_cuda_consumer(program):
    if "simulated" not in sys.argv and subprocess.run(["gst-inspect-1.0", "--exists", "cudaupload"]).returncode:
        skip("GStreamer's nvcodec plugin finds no GPU")
    lines, _ = run(program)
    for n, frame in enumerate(test_frames(BARS)):
        start = f"frame {n}: {WIDTH}x{HEIGHT} on the GPU, rows "
        match = re.fullmatch(re.escape(start) + rf"(\d+) bytes apart, SHA-256 {sha256(frame)}", lines[n])
        assert match and int(match[1]) >= WIDTH, (lines[n], sha256(frame))
    check_stats(lines[3], 3, True)
    equal(len(lines), 4)
    if "simulated" in sys.argv:
        check_page(lines)


def tags(lines):
    """Corners by number; the numbers of one picture differ."""
    found = {}
    for line in lines:
        match = re.fullmatch(r"tag (\d+):" + r" (-?[\d.]+),(-?[\d.]+)" * 4, line)
        assert match and int(match[1]) not in found, line
        found[int(match[1])] = np.array(match.groups()[1:], float).reshape(4, 2)
    return found


def check_tags(got, wanted):
    equal(sorted(got), sorted(wanted))
    for number, corners in wanted.items():
        assert np.abs(got[number] - corners).max() <= 1, (number, got[number], corners)


def check_drawing(before, after, corners):
    """Black and white along each side of each tag, and no other change."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    near = np.zeros((HEIGHT, WIDTH), bool)
    for tag in corners.values():
        for a, b in zip(tag, np.roll(tag, -1, axis=0)):
            along = b - a
            t = np.clip(((x - a[0]) * along[0] + (y - a[1]) * along[1]) / (along @ along), 0, 1)
            side = np.hypot(x - a[0] - t * along[0], y - a[1] - t * along[1]) < 3
            assert {0, 255} <= set(after[side])
            near |= side
    assert np.array_equal(before[~near], after[~near])


def check_find_tags(draw, find):
    with tempfile.TemporaryDirectory() as folder:
        picture, found = (os.path.join(folder, name) for name in ("tags.png", "found.png"))
        lines, _ = run(draw, picture)
        check_page(lines)
        wanted = tags(lines)
        equal(sorted(wanted), [3, 17, 586])
        source = f"filesrc location={picture} ! pngdec"
        for live in ("", " ! imagefreeze is-live=true"):
            check_tags(tags(run(find, source + live, found)[0]), wanted)
            before = test_frames(f"{source} ! videoconvert ! video/x-raw,format=RGB")
            after = pixels(play(f"filesrc location={found} ! pngdec ! videoconvert ! video/x-raw,format=GRAY8"))
            check_drawing(before[0], after[0], wanted)
            os.remove(found)
        equal(run(find, "videotestsrc num-buffers=2", found, status=1)[0], ["no tags"])
        equal(os.listdir(folder), ["tags.png"])


def check_numpy(script):
    try:
        import gi
        gi.require_version("GstApp", "1.0")
    except (ImportError, ValueError) as error:
        skip(error)
    caps = f"video/x-raw,format=I420,colorimetry=1:4:0:0,width={WIDTH},height={HEIGHT}"
    full_range = f"videotestsrc num-buffers=2 pattern=ball ! {caps}"
    planes = play(full_range).reshape(2, -1)[:, :644 * HEIGHT].reshape(-1)
    for arguments, frames in (
        ([], test_frames(BARS)),
        # Not converted: a plane of the source's own buffer.
        ([full_range], pixels(planes)),
    ):
        lines, _ = run(sys.executable, script, *arguments)
        equal(lines, [f"frame {n}: shape ({HEIGHT}, {WIDTH}), strides (644, 1), SHA-256 {sha256(frame)}"
                      for n, frame in enumerate(frames)])
        if not arguments:
            check_page(lines)
    run(sys.executable, script, "filesrc location=/no/such/file ! pngdec", status=1)


def check_opencv(script):
    try:
        import cv2
    except ImportError as error:
        skip(error)
    if cv2.CAP_GSTREAMER not in cv2.videoio_registry.getBackends():
        skip("this OpenCV has no GStreamer")
    source = "videotestsrc num-buffers=5 pattern=colors ! video/x-raw,format=BGR,width=640,height=480"
    for width, arguments in ((641, []), (640, [source])):
        lines, _ = run(sys.executable, script, *arguments)
        equal(len(lines), 5)
        for n, line in enumerate(lines):
            assert re.fullmatch(rf"frame {n}: uint8 \(480, {width}\), largest difference [01]", line), line


def check_two_hosts(script, loopback=None):
    if loopback:
        os.environ["HOSTS"] = loopback
    lines, _ = run(script, "2", "60")
    first = "all hosts are 127.0.0.1" if loopback else "cameras on 10.77.1.1, "
    assert lines[0].startswith((first, "no network namespaces (")), lines[0]
    equal(lines[1:], [f"camera {n}: 60 frames sent, 60 received, every byte the same" for n in (1, 2)])
    check_page(lines[1:])


files = [argument for argument in sys.argv[2:] if argument not in ("cuda", "simulated")]
globals()["check_" + sys.argv[1].replace("-", "_")](*files)
