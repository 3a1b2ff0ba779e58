#!/usr/bin/env bash
# Builds the documentation: the articles in docs/AutoKVO.docc and the reference of the two libraries, with warnings as
# errors. Fails also if a public name has no documentation, one that throws a KeyValueError does not say when, or one of the library's
# own types stands under no topic of the first page. It writes into the scratch path
# - documentation/index.html: plain pages, which any browser opens from the disk;
# - documentation.doccarchive: docc's own site, with a sidebar and a filter, for a web server. Its pages load their content with a script, which
#   browsers refuse without a server.
#
#   scripts/docs.sh [--open] [SCRATCH]   SCRATCH: the scratch path of the build that is used, and brought up to date first; .build
#                                        --open: then serves docc's own site on the loopback address, until it is interrupted
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source scripts/lib/symbols.sh

prepare
serves=
if [ "${1:-}" = --open ]; then
    serves=yes
    shift
fi
scratch=${1:-.build}
symbols=$scratch/symbol-graphs
symbol_graphs "$scratch"

# What the compiler synthesizes, or a protocol's own extension gives, has no place in this package; an extension's block is
# no name of its own.
own='[.[].symbols[] | select(.location.uri | strings | contains("/Sources/AutoKVO")) | select(.kind.identifier != "swift.extension")]'
place='"\(.location.uri | sub(".*/Sources/"; "Sources/")):\(.location.position.line + 1): \(.pathComponents | join("."))"'
text='([.docComment.lines[]?.text] | join("\n"))'
say "$(jq -s "$own | length" "$symbols"/*.json) public names"
# Only a list item, such as a precondition, is no sentence about the name.
missing=$(jq -rs "$own | map(select($text | test(\"\\\\S\") and (test(\"^ *- \") | not) | not)) | .[] | $place" "$symbols"/*.json | sort -u)
[ -z "$missing" ] || fail $'public names without documentation:\n'"$missing"
silent=$(jq -rs "$own | map(select(([.declarationFragments[].spelling] | join(\"\")) | contains(\"throws(KeyValueError)\"))
    | select($text | contains(\"- Throws:\") | not)) | .[] | $place" "$symbols"/*.json | sort -u)
[ -z "$silent" ] || fail $'names that throw, and do not say when:\n'"$silent"

say "docc convert"
# In the repository articles link to each other's files, as a forge needs it; docc knows articles by their names.
catalogue=$scratch/AutoKVO.docc
rm -rf "$catalogue"
cp -R docs/AutoKVO.docc "$catalogue"
sed -i -E 's/\]\(([A-Z][A-Za-z-]*)\.md\)/](doc:\1)/g' "$catalogue"/*.md
"$(toolchain_bin)/docc" convert "$catalogue" --additional-symbol-graph-dir "$symbols" --output-dir "$scratch/documentation.doccarchive" \
    --fallback-display-name AutoKVO --fallback-bundle-identifier AutoKVO --warnings-as-errors
archive=$scratch/documentation.doccarchive
# Groups that docc makes by itself have what no topic names. Extensions of the standard library's types are such a group.
ungrouped=$(jq -r '.topicSections[] | select(.generated) | select(.title != "Extended Modules") | .identifiers[]' \
    "$archive/data/documentation/autokvo.json")
[ -z "$ungrouped" ] || fail $'names under no topic of docs/AutoKVO.docc/AutoKVO.md:\n'"$ungrouped"

ensure_command python3 python3
pages=$(python3 scripts/lib/static_docs.py "$archive" "$scratch/documentation")
say "$pages: open $scratch/documentation/index.html in a browser"
say "docc's own site, which has a search: scripts/docs.sh --open"
[ -n "$serves" ] || exit 0
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
say "http://127.0.0.1:$port/documentation/autokvo/"
exec python3 -m http.server --bind 127.0.0.1 --directory "$archive" "$port"
