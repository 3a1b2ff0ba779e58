# The symbol graphs of the two libraries; to be sourced after common.sh.

readonly libraries=(AutoKVO AutoKVOFoundation)

# symbol_graphs SCRATCH: brings the libraries up to date in a scratch path, and writes the graphs of their public names into
# SCRATCH/symbol-graphs. They are read from the modules that were built, which takes a second where another build would take
# a minute.
symbol_graphs() {
    local scratch=$1 module map products target log
    ensure_command jq jq
    say "building the libraries"
    log=$(mktemp)
    for module in "${libraries[@]}"; do
        swift build --scratch-path "$scratch" "${quick_build[@]}" --target "$module" >"$log" 2>&1 || { cat "$log" >&2; rm "$log"; exit 1; }
    done
    rm "$log"
    products=$(swift build --scratch-path "$scratch" --show-bin-path)
    target=$(swift -print-target-info | jq -r .target.triple)
    local -a maps=()
    for map in "$products"/C*.build/module.modulemap; do maps+=(-Xcc "-fmodule-map-file=$map"); done
    rm -rf "$scratch/symbol-graphs"
    mkdir -p "$scratch/symbol-graphs"
    for module in "${libraries[@]}"; do
        "$(toolchain_bin)/swift-symbolgraph-extract" -module-name "$module" -target "$target" -I "$products/Modules" "${maps[@]}" \
            -minimum-access-level public -emit-extension-block-symbols -output-dir "$scratch/symbol-graphs"
    done
}
