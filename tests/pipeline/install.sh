#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh SOURCE BUILD PLUGIN [DOCS]: `meson install` puts the file PLUGIN and, in the folder DOCS, the pages,
# and nothing else; GStreamer finds that plugin, and it converts; `ninja uninstall` leaves nothing.
set -eu
source=$1 build=$2 plugin=$3 docs=${4:-}
tmp=$(mktemp -d)
log=$build/meson-logs/install-log.txt
# What the user has installed from here is to be uninstalled all the same.
[ ! -e "$log" ] || cp -p "$log" "$tmp/log"
trap 'rm -f "$log"; [ ! -e "$tmp/log" ] || cp -p "$tmp/log" "$log"; rm -rf "$tmp"' EXIT
export DESTDIR="$tmp/root"
mkdir "$DESTDIR"
ninja=${NINJA:-$(command -v ninja || command -v ninja-build)}

fail() {
    echo "$1" >&2
    exit 1
}

{
    echo "$plugin"
    [ -z "$docs" ] || (cd "$source" && find LICENSE NEWS.md README.md docs -type f | sed "s,^,$docs/,")
} | sort >"$tmp/wanted"
meson install -C "$build" --no-rebuild
find "$DESTDIR" ! -type d | sed "s,^$DESTDIR,," | sort >"$tmp/found"
diff "$tmp/wanted" "$tmp/found" >&2 || fail 'other files are installed (>) or missing (<)'

export GST_PLUGIN_PATH_1_0="$DESTDIR${plugin%/*}" GST_REGISTRY_1_0="$tmp/registry.bin"
gst-inspect-1.0 cudagray >"$tmp/inspect"
grep -q " $DESTDIR$plugin\$" "$tmp/inspect" || fail 'gst-inspect-1.0 finds another plugin'
gst-launch-1.0 -q videotestsrc pattern=red num-buffers=1 ! video/x-raw,format=RGB,width=8,height=8 ! cudagray ! \
    filesink location="$tmp/gray"
[ "$(od -An -v -tu1 -w1 "$tmp/gray" | sort | uniq -c | tr -s ' ')" = ' 64 76' ] || fail 'red is not 64 bytes of 76'

"$ninja" -C "$build" uninstall
[ -z "$(find "$DESTDIR" -mindepth 1)" ] || {
    find "$DESTDIR" >&2
    fail 'that is left'
}
