# SPDX-License-Identifier: MIT
# A Debian of its own, in a folder; sourced after lib.sh by the tools that make one.  CUDAGRAY_ROOTS is where
# these folders are (default ~/.cache/cudagray), CUDAGRAY_MIRROR where Debian comes from (default: where this
# machine's packages do).

path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Runs the tool once more, with its arguments "$@", where mounts are its own: they end with it, however it
# ends, and whoever removes the folder meanwhile does not find /dev in it.
own_mounts() {
    [ "$(id -u)" -eq 0 ] || lacks 'debootstrap, mount and chroot need root'
    namespace=$(readlink /proc/self/ns/mnt)
    if [ "${OWN_MOUNTS_FROM:-$namespace}" = "$namespace" ]; then
        unshare --mount true || lacks 'may not mount anything here (a container without privileges?)'
        OWN_MOUNTS_FROM=$namespace exec unshare --mount "$0" "$@"
    fi
}

# Sets up the least of Debian $1 in $dir, which is not there yet; src/ and cuda/ there are the tool's.
bootstrap() {
    command -v debootstrap >/dev/null || apt-get install -q=2 -y debootstrap </dev/null >/dev/null ||
        lacks 'the package debootstrap is missing'
    mirror=${CUDAGRAY_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
        'Origin: Debian' 2>/dev/null | head -n 1)}
    [ -n "$mirror" ] || lacks 'APT knows no mirror of Debian here (try apt-get update); name one in CUDAGRAY_MIRROR'
    # Releases that this debootstrap is too old to know are set up as sid is.
    script=/usr/share/debootstrap/scripts/$1
    [ -e "$script" ] || script=${script%/*}/sid
    say "setting up Debian $1 in $dir"
    rm -rf --one-file-system "$dir.part"
    if ! debootstrap --variant=minbase "$1" "$dir.part" "$mirror" "$script" >"$dir.log" 2>&1; then
        tail -n 5 "$dir.log" >&2
        lacks "debootstrap could not set up Debian $1; all that it said is in $dir.log"
    fi
    mkdir "$dir.part/src" "$dir.part/cuda"
    mv "$dir.part" "$dir"
}

# What a program in $dir finds in /proc and /dev.
mount_system() {
    mount -t proc proc "$dir/proc"
    mount --bind /dev "$dir/dev"
}

# What this machine has for the network's sake, the folder needs too.
lend_files() {
    for file in /etc/apt/apt.conf.d/99* /etc/pip.conf /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt; do
        [ ! -f "$file" ] || install -D -m 644 "$file" "$dir$file"
    done
}

# enter COMMANDS [VARIABLE=VALUE...]: runs commands in $dir, with no more of this environment than the
# network may need.
enter() {
    commands=$1
    shift
    env -i PATH="$path" HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@" \
        chroot "$dir" sh -euc "$commands"
}
