#!/bin/sh
# SPDX-License-Identifier: MIT
# inspect.sh PLUGIN: the plugin as a file, and as gst-inspect-1.0 finds it.  It always loads, registers the
# element and is quiet, whatever the machine lacks; nothing of CUDA is touched before a pipeline starts.
set -eu
plugin=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
    echo "$1" >&2
    failed=1
}

# has WHAT FILE PATTERN: the file has a line that the pattern matches.
has() {
    grep -Eq -- "$3" "$2" || { fail "$1: no line like: $3"; sed 's/^/    /' "$2" >&2; }
}

# has_not WHAT FILE PATTERN
has_not() {
    ! grep -E -- "$3" "$2" >&2 || fail "$1: a line like: $3"
}

# Only our plugin is found, and nothing is known of it: the scan is part of the test.
alone() {
    GST_PLUGIN_SYSTEM_PATH_1_0='' GST_PLUGIN_PATH_1_0=$(dirname "$plugin") GST_REGISTRY_1_0="$tmp/registry.bin" \
        GST_DEBUG_NO_COLOR=1 LC_ALL=C "$@"
}

echo "== gst-inspect-1.0"
alone env GST_DEBUG=2 gst-inspect-1.0 cudagray >"$tmp/out" 2>"$tmp/err" || fail "gst-inspect-1.0 exits with $?"
[ ! -s "$tmp/err" ] || { fail "gst-inspect-1.0 is not quiet:"; cat "$tmp/err" >&2; }
for pattern in 'Long-name +CUDA video to gray converter' 'Klass +Filter/Converter/Video' 'Rank +none' \
    'License +MIT' "SRC template: 'src'" "SINK template: 'sink'" '^  backend  ' '^  cuda-device-id  ' '^  stats  ' \
    '^  qos  ' '\(0\): auto' '\(1\): cuda' '\(2\): cpu' 'Enum .*Default: 0, "auto"' \
    'Integer. Range: -1 - 2147483647 Default: -1' 'flags: readable$'; do
    has gst-inspect-1.0 "$tmp/out" "$pattern"
done
sed -n "/SINK template/,/SRC template/p" "$tmp/out" >"$tmp/sink"
sed -n "/SRC template/,/Element has/p" "$tmp/out" >"$tmp/src"
for format in RGB BGR RGBx BGRx xRGB xBGR RGBA BGRA ARGB ABGR GBR GBRA RGBP BGRP RGB16 BGR16 RGB15 BGR15 RGB10A2_LE \
    BGR10A2_LE r210 GBR_10LE GBR_10BE GBRA_10LE GBRA_10BE GBR_12LE GBR_12BE GBRA_12LE GBRA_12BE ARGB64 ARGB64_LE \
    ARGB64_BE RGBA64_LE RGBA64_BE BGRA64_LE BGRA64_BE ABGR64_LE ABGR64_BE I420 YV12 NV12 NV21 NV16 NV61 NV24 \
    Y41B Y42B Y444 YUV9 YVU9 YUY2 UYVY YVYU VYUY AYUV VUYA P010_10LE P010_10BE P012_LE P012_BE P016_LE P016_BE \
    I420_10LE I420_10BE I420_12LE I420_12BE I422_10LE I422_10BE I422_12LE I422_12BE Y444_10LE Y444_10BE Y444_12LE \
    Y444_12BE Y444_16LE Y444_16BE A420_10LE A420_10BE A422_10LE A422_10BE A444_10LE A444_10BE AYUV64 Y210 Y410 \
    Y212_LE Y212_BE Y412_LE Y412_BE GRAY8 GRAY16_LE GRAY16_BE; do
    has "sink template" "$tmp/sink" "\(string\)$format[ ,]"
done
has "source template" "$tmp/src" 'format: \{ \(string\)GRAY8, \(string\)GRAY16_LE, \(string\)GRAY16_BE \}( \(GstValueList\))?$'
has_not "source template" "$tmp/src" 'RGB'
alone gst-inspect-1.0 -b >"$tmp/out" 2>&1 || fail "gst-inspect-1.0 -b exits with $?"
has "blacklist" "$tmp/out" '0 blacklisted files'
has_not "blacklist" "$tmp/out" 'cudagray'
alone gst-inspect-1.0 --exists --atleast-version=0.1 cudagray || fail "the element is not in the registry"

echo "== nothing of CUDA is looked for"
rm -f "$tmp/registry.bin"
alone env LD_DEBUG=libs LD_DEBUG_OUTPUT="$tmp/ld" gst-inspect-1.0 cudagray >"$tmp/out" 2>&1
cat "$tmp"/ld.* >"$tmp/libs"
has "dynamic linker" "$tmp/libs" 'find library=libgstvideo'
has "dynamic linker" "$tmp/libs" 'calling init: .*libgstcudagray'
has_not "dynamic linker" "$tmp/libs" 'find library=lib(cuda|nv)[^g]'

echo "== a pipeline without a GPU"
CUDA_VISIBLE_DEVICES='' GST_DEBUG=2 GST_DEBUG_NO_COLOR=1 gst-launch-1.0 \
    videotestsrc num-buffers=3 ! video/x-raw,format=RGB ! cudagray ! fakesink >"$tmp/out" 2>"$tmp/err" ||
    fail "gst-launch-1.0 exits with $?"
[ "$(grep -Ec 'WARN.*cudagray|^WARNING' "$tmp/err")" -le 1 ] || { fail "more than one warning:"; cat "$tmp/err" >&2; }
has_not gst-launch-1.0 "$tmp/err" 'ERROR'
if CUDA_VISIBLE_DEVICES='' gst-launch-1.0 \
    videotestsrc num-buffers=3 ! video/x-raw,format=RGB ! cudagray backend=cuda ! fakesink >"$tmp/out" 2>&1; then
    fail "backend=cuda runs without a GPU"
fi
has gst-launch-1.0 "$tmp/out" 'ERROR: .*No usable CUDA GPU'

echo "== every symbol is there, at once"
LD_BIND_NOW=1 G_DEBUG=fatal-warnings gst-launch-1.0 -q \
    videotestsrc num-buffers=3 ! video/x-raw,format=RGB ! cudagray backend=cpu ! fakesink >"$tmp/out" 2>&1 ||
    fail "with LD_BIND_NOW gst-launch-1.0 exits with $?"
[ ! -s "$tmp/out" ] || { fail "with LD_BIND_NOW it is not quiet:"; cat "$tmp/out" >&2; }

echo "== the file"
if ! command -v readelf >/dev/null || ! command -v nm >/dev/null; then
    echo "skipped: no binutils"
    [ "$failed" -ne 0 ] || exit 77
    exit 1
fi
readelf -dW "$plugin" >"$tmp/dynamic"
readelf -lW "$plugin" >"$tmp/segments"
has "dynamic section" "$tmp/dynamic" 'NEEDED.*libgstvideo'
has_not "dynamic section" "$tmp/dynamic" 'NEEDED.*lib(cuda|nv|nppi)'
has_not "dynamic section" "$tmp/dynamic" 'RPATH|RUNPATH.*cuda'
has_not "dynamic section" "$tmp/dynamic" 'TEXTREL'
has "dynamic section" "$tmp/dynamic" 'BIND_NOW|FLAGS_1.*NOW'
has "segments" "$tmp/segments" 'GNU_RELRO'
has "segments" "$tmp/segments" 'GNU_STACK .* RW '
nm -D --defined-only "$plugin" | awk '{ print $3 }' | sort >"$tmp/exports"
printf '%s\n' gst_plugin_cudagray_get_desc gst_plugin_cudagray_register >"$tmp/wanted"
diff "$tmp/wanted" "$tmp/exports" >&2 || fail "other symbols are exported"

exit "$failed"
