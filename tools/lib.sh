# SPDX-License-Identifier: MIT
# What the tools share; sourced by them. BUILD names the build directory (default build/),
# MESON_ARGS holds more arguments for its set-up.

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build}
venv=$root/.cuda-venv

# Puts the nvcc that tools/deps brought, or one at CUDA's usual place, on PATH.
use_cuda() {
    if [ -x "$venv/cuda/bin/nvcc" ]; then
        . "$venv/env"
    elif ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
        PATH=$PATH:/usr/local/cuda/bin
    fi
}

# Configures directory $1 where it isn't yet, with the remaining arguments, and builds it.
build_in() {
    dir=$1
    shift
    use_cuda
    if [ -n "${CUDAGRAY_NO_CUDA:-}" ]; then
        set -- "$@" -Dcuda=disabled
    fi
    if [ ! -f "$dir/build.ninja" ]; then
        # MESON_ARGS is a list: it is split on purpose.
        meson setup "$dir" "$root" "$@" ${MESON_ARGS:-}
    fi
    meson compile -C "$dir"
}
