# SPDX-License-Identifier: MIT
"""host.py PLUGIN: Python as the application.  It opens and closes the plugin's file, converts frames of its own,
has GStreamer find the plugin anew and forget it while a pipeline plays, and exits without stopping what plays."""
import _ctypes
import ctypes
import os
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
except (ImportError, ValueError) as error:
    print("skipped:", error)
    sys.exit(77)

WIDTH, HEIGHT, IN_STRIDE, OUT_STRIDE = 5, 3, 16, 8
CAPS = f"video/x-raw,format=RGB,width={WIDTH},height={HEIGHT},framerate=30/1"


class Line:
    """A pipeline that plays, with the application at both ends."""

    def __init__(self):
        self.pipeline = Gst.parse_launch(
            f"appsrc name=src format=time caps={CAPS} ! cudagray ! appsink name=sink sync=false wait-on-eos=false")
        self.src, self.sink = (self.pipeline.get_by_name(name) for name in ("src", "sink"))
        self.pipeline.set_state(Gst.State.PLAYING)

    def convert(self):
        """One frame, which must be right."""
        frame = random.randbytes(IN_STRIDE * HEIGHT)
        assert self.src.emit("push-buffer", Gst.Buffer.new_wrapped(frame)) == Gst.FlowReturn.OK
        buffer = self.sink.emit("pull-sample").get_buffer()
        gray = buffer.extract_dup(0, buffer.get_size())
        for y in range(HEIGHT):
            for x in range(WIDTH):
                r, g, b = frame[y * IN_STRIDE + 3 * x:][:3]
                wanted = (299 * r + 587 * g + 114 * b + 500) // 1000
                assert gray[y * OUT_STRIDE + x] == wanted, (x, y, gray[y * OUT_STRIDE + x], wanted)

    def stop(self):
        message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        assert message is None, message.parse_error()
        assert self.pipeline.set_state(Gst.State.NULL) == Gst.StateChangeReturn.SUCCESS


def convert_alone():
    line = Line()
    for _ in range(10):
        line.convert()
    line.stop()


def find_anew(plugin):
    """The registry finds the file changed, forgets the plugin, and finds it again."""
    registry = Gst.Registry.get()
    line = Line()
    line.convert()
    for way in ("changed", "forgotten"):
        if way == "changed":
            os.utime(plugin, (1, 1))
        else:
            registry.remove_plugin(registry.find_plugin("cudagray"))
            assert Gst.ElementFactory.make("cudagray") is None
        registry.scan_path(os.path.dirname(plugin))
        assert Gst.update_registry()
        line.convert()
        convert_alone()
        line.convert()
    line.stop()


def open_and_close(plugin):
    """Whoever looks into the file alone; GStreamer itself never closes what it has taken."""
    for _ in range(3):
        library = ctypes.CDLL(plugin)
        assert library.gst_plugin_cudagray_get_desc
        _ctypes.dlclose(library._handle)


def exit_while_playing():
    Gst.parse_launch("videotestsrc ! video/x-raw,format=RGB,width=1920,height=1080 ! cudagray ! fakesink "
                     ).set_state(Gst.State.PLAYING)
    line = Line()
    line.convert()
    sys.exit(0)


def main():
    if len(sys.argv) == 1:
        Gst.init(None)
        exit_while_playing()
    with tempfile.TemporaryDirectory() as tmp:
        plugin = shutil.copy(sys.argv[1], tmp)
        os.environ["GST_PLUGIN_PATH_1_0"] = tmp
        os.environ["GST_REGISTRY_1_0"] = os.path.join(tmp, "registry.bin")
        open_and_close(plugin)
        assert plugin not in open("/proc/self/maps").read()
        Gst.init(None)
        assert Gst.Registry.get().find_plugin("cudagray").get_filename() == plugin
        convert_alone()
        find_anew(plugin)
        open_and_close(plugin)
        convert_alone()
        for _ in range(3):
            child = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=60)
            assert (child.returncode, child.stdout, child.stderr) == (0, "", ""), child


main()
