# SPDX-License-Identifier: MIT
# What the tools share; sourced by them. BUILD names the build directory (default build/),
# MESON_ARGS holds more arguments for its set-up.

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build}
venv=$root/.cuda-venv

say() { echo "tools/$(basename "$0"): $*"; }

# Something that the tool needs is not to be had.
lacks() {
    say "$1" >&2
    exit 77
}

# Sets roots, and dir to folder $1 there, which is this run's alone.
choose_dir() {
    roots=${CUDAGRAY_ROOTS:-${HOME:-/root}/.cache/cudagray}
    mkdir -p "$roots"
    roots=$(cd "$roots" && pwd)
    dir=$roots/$1
    exec 9>"$dir.lock"
    flock -n 9 || lacks "another run is in $dir"
}

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

# Copies this tree as it is, without what git ignores, into folder $1.
copy_source() {
    (cd "$root" && git ls-files -co --exclude-standard -z | tar -c --null --ignore-failed-read -T -) |
        tar -x -C "$1"
}

passed=0 failed=0 skipped=0

# The sum of the lines of meson's closing summary that $2 names, in log $1.
count() {
    awk -v keys="$2" '$0 ~ "^(" keys "): +[0-9]+ *$" { n += $NF } END { print n + 0 }' "$1"
}

# stage NAME DIRECTORY LOG ARGUMENT...: one run of meson test, counted.
stage() {
    name=$1 dir=$2 log=$2/meson-logs/$3
    shift 3
    echo "== tests: $name"
    start=$(date +%s)
    rm -f "$log"
    rc=0
    meson test -C "$dir" --no-rebuild --print-errorlogs "$@" || rc=$?
    bad=0
    if [ -f "$log" ]; then
        passed=$((passed + $(count "$log" 'Ok|Expected Fail')))
        skipped=$((skipped + $(count "$log" Skipped)))
        bad=$(count "$log" 'Fail|Unexpected Pass|Timeout')
    fi
    # A run that broke down without counting a failure is one.
    if [ "$rc" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    fi
    failed=$((failed + bad))
    echo "== tests: $name: $(($(date +%s) - start)) s"
}

# The closing line, after what is given; true for a success.
closing() {
    echo "$*$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
