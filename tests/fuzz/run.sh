#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh PROGRAM CORPUS RUNS: runs a harness over its corpus, and on from there until so many runs, the same
# ones each time.  What it finds on the way is not kept; tools/fuzz does that.
set -eu

if [ ! -x "$1" ]; then
    echo 'skipped: no clang with libFuzzer (Debian: clang and libclang-rt-dev)'
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
mkdir "$dir/found"
# GLib's own allocator hides what AddressSanitizer looks for.
export G_SLICE=always-malloc
# A crash would exit with 77, which is a skip here.
"$1" -runs="$3" -seed=1 -max_len=1024 -len_control=0 -error_exitcode=1 -detect_leaks=0 -print_final_stats=1 \
    -artifact_prefix="$dir/bad-" "$dir/found" "$2" 2>"$dir/log" || {
    status=$?
    tail -n 100 "$dir/log"
    for input in "$dir"/bad-*; do
        [ ! -f "$input" ] || base64 "$input"
    done
    exit $status
}
grep -E '^(fuzz-|stat::number_of_executed|INFO: seed)' "$dir/log"
