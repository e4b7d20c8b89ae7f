#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [CAMERAS [FRAMES]]: cameras on one host, cudagray on another, who reads the gray frames on a third.
#
#     GST_PLUGIN_PATH=build/gst examples/two-hosts/run.sh 2 60
#
# counts the frames of each camera at both ends, and compares every byte that arrives with what one
# gst-launch makes of the same picture.  The hosts are network namespaces of this machine, which takes
# root; without it, and with HOSTS=loopback, all three are 127.0.0.1.  On hosts of your own start
# reader.sh, gray.sh and camera.sh there, in this order.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cameras=${1:-2} frames=${2:-60} width=${WIDTH:-640} height=${HEIGHT:-480}
export PORT="${PORT:-$((10000 + $$ % 100 * 200))}"
name=cudagray-$$
tmp=$(mktemp -d)
namespaces='' pids=''

clean() {
    for pid in $pids; do
        kill "$pid" 2>/dev/null || :
    done
    for host in camera gray reader; do
        ip netns del "$name-$host" 2>/dev/null || :
    done
    rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 1' INT TERM

fail() {
    echo "$1" >&2
    tail -n 12 "$tmp"/*.log >&2
    exit 1
}

# A wire between two hosts: HOST ADDRESS HOST ADDRESS.
wire() {
    ip link add "to-$3" netns "$name-$1" type veth peer name "to-$1" netns "$name-$3" &&
        ip -n "$name-$1" addr add "$2/24" dev "to-$3" && ip -n "$name-$1" link set "to-$3" up &&
        ip -n "$name-$3" addr add "$4/24" dev "to-$1" && ip -n "$name-$3" link set "to-$1" up
}

make_hosts() {
    ip netns add "$name-camera" && ip netns add "$name-gray" && ip netns add "$name-reader" &&
        wire camera 10.77.1.1 gray 10.77.1.2 && wire gray 10.77.2.1 reader 10.77.2.2 &&
        ip netns exec "$name-camera" true
}

# What a command on a host begins with.
on() {
    [ -z "$namespaces" ] || echo "ip netns exec $name-$1"
}

# Waits until the last one that was started listens, on a host, for all cameras at ports from this one on.
wait_for() {
    for camera in $(seq "$cameras"); do
        tries=0
        until $(on "$1") ss -Hltn "sport = :$(($2 + camera))" | grep -q .; do
            tries=$((tries + 1))
            [ "$tries" -lt 300 ] && kill -0 "$!" || fail "the host '$1' does not listen"
            sleep 0.1
        done
    done
}

gray=127.0.0.1 reader=127.0.0.1
if [ "${HOSTS:-}" = loopback ]; then
    echo "all hosts are 127.0.0.1"
elif make_hosts 2>"$tmp/hosts.log"; then
    namespaces=1 gray=10.77.1.2 reader=10.77.2.2
    echo "cameras on 10.77.1.1, cudagray on 10.77.1.2 and 10.77.2.1, reader on 10.77.2.2"
else
    echo "no network namespaces ($(tail -n 1 "$tmp/hosts.log")): all hosts are 127.0.0.1"
fi

(cd "$tmp" && exec $(on reader) "$here/reader.sh" "$cameras") >"$tmp/reader.log" 2>&1 &
pids=$!
wait_for reader $((PORT + 100))
$(on gray) "$here/gray.sh" "$reader" "$cameras" >"$tmp/gray.log" 2>&1 &
pids="$! $pids"
wait_for gray "$PORT"
for camera in $(seq "$cameras"); do
    $(on camera) "$here/camera.sh" "$gray" "$camera" "$frames" >"$tmp/camera-$camera.log" 2>&1 &
    pids="$! $pids"
done
# Upstream first: who fails there leaves the others waiting.
for pid in $pids; do
    wait "$pid" || fail "one of the hosts failed"
done
pids=''

same=yes
for camera in $(seq "$cameras"); do
    gst-launch-1.0 -q videotestsrc num-buffers="$frames" pattern=smpte75 horizontal-speed="$camera" \
        ! "video/x-raw,format=RGB,width=$width,height=$height" ! cudagray ! filesink location="$tmp/wanted.raw"
    received=$(($(wc -c <"$tmp/gray-$camera.raw") / ((width + 3) / 4 * 4 * height)))
    bytes='every byte the same'
    cmp "$tmp/wanted.raw" "$tmp/gray-$camera.raw" || { bytes='NOT THE SAME' same=no; }
    echo "camera $camera: $frames frames sent, $received received, $bytes"
done
[ "$same" = yes ]
