#!/bin/sh
# SPDX-License-Identifier: MIT
# using.sh SOURCE: docs/using.md has every message, field of stats, variable, property and format that the source has.
set -eu
cd "$1"

# has LEAST WHAT [-w]: the page has each line of standard input, as words with -w; at least LEAST come.
has() {
    sort -u | {
        bad=0 count=0
        while read -r text; do
            count=$((count + 1))
            grep -qF ${3:-} -- "$text" docs/using.md || { echo "docs/using.md: no $2: $text" >&2; bad=1; }
        done
        [ "$count" -ge "$1" ] || { echo "the source has only $count of $2?" >&2; bad=1; }
        return "$bad"
    }
}

# A message a line: domain, code, and the text between what is filled in.
messages() {
    cat gst/*.c | tr '\n' ' ' | sed 's/GST_ELEMENT_[EW][A-Z]* (/\n&/g' |
        sed -n 's/^GST_ELEMENT_[^,]*, *\([A-Z]*\), *\([A-Z_]*\), *("\([^"]*\)".*/\1 \2|\3/p'
}
messages | sed 's/|.*//' | has 6 'domain and code'
messages | sed 's/.*|//; s/^%[us]\.* *//; s/%.*//; /^$/d' | has 11 'message'
sed -n 's/^ *"\([a-z-]*\)", G_TYPE_.*/`\1`/p' gst/stats.c | has 11 'field of stats'
cat gst/*.c cuda/*.c luma/*.c | sed -n 's/.*getenv ("\([A-Z_]*\)").*/| `\1` |/p' | has 2 'variable'
tr '\n' ' ' <gst/gstcudagray.c | grep -oE 'g_param_spec_[a-z]+ \("[a-z-]+"' | sed 's/.*"\(.*\)"/| `\1` |/' |
    has 3 'property'
sed -n '/define CUDA_GRAY_.*FORMATS "/,/[^\\]$/p' gst/caps.h | grep -o '"[^"]*"' | tr '", {}' '\n' |
    sed 's/_\{0,1\}[LB]E$//; /^$/d' | has 60 'format' -w
