"""Prints the public interface that a folder of symbol graphs describes, for scripts/api.sh: one line a name, below its type.

Left out is what a protocol gives (a collection's `map`), and what every type is by itself (Copyable). A conformance stands
with its type, or with the extension whose conditions it needs.
"""
import collections, json, re, sys
from pathlib import Path

TYPES = {"swift.class", "swift.struct", "swift.enum", "swift.protocol", "swift.actor"}
IMPLIED = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}


def conditions(constraints):
    signs = {"conformance": ": ", "superclass": ": ", "sameType": " == "}
    texts = sorted(each["lhs"] + signs[each["kind"]] + each["rhs"] for each in constraints or [] if each["rhs"] not in IMPLIED)
    return f" where {', '.join(texts)}" if texts else ""


def declaration(symbol):
    text = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
    text = text.replace("@export(implementation) ", "")  # where the code is made, which is no promise to a client
    return ("open " if symbol["accessLevel"] == "open" else "") + text


def interface(module, folder):
    graphs = [json.loads(path.read_text()) for path in sorted(folder.glob("*.symbols.json"))
              if path.name.split(".")[0].split("@")[0] == module]
    symbols = {symbol["identifier"]["precise"]: symbol for graph in graphs for symbol in graph["symbols"]}
    names = {identifier: ".".join(symbol["pathComponents"]) for identifier, symbol in symbols.items()}
    relations = [relation for graph in graphs for relation in graph["relationships"]]
    required = {relation["source"] for relation in relations if relation["kind"].endswith("equirementOf")}
    types = {names[identifier]: symbol for identifier, symbol in symbols.items() if symbol["kind"]["identifier"] in TYPES}
    # By the type's name, whether it is in an extension of its own, and on which conditions.
    members, conformances = collections.defaultdict(list), collections.defaultdict(set)
    for identifier, symbol in symbols.items():
        kind, parent = symbol["kind"]["identifier"], ".".join(symbol["pathComponents"][:-1])
        if kind in TYPES or kind == "swift.extension" or "::SYNTHESIZED::" in identifier: continue
        where = conditions(symbol.get("swiftExtension", {}).get("constraints"))
        is_given = parent in types and types[parent]["kind"]["identifier"] == "swift.protocol" and identifier not in required
        members[parent, is_given or bool(where) or parent not in types, where].append(declaration(symbol))
    for relation in relations:
        source = names.get(relation["source"])
        name = names.get(relation["target"]) or relation.get("targetFallback", "").split(".")[-1]
        if relation["kind"] in ("conformsTo", "inheritsFrom") and source and name and name not in IMPLIED:
            where = conditions(relation.get("swiftConstraints"))
            conformances[source, bool(where) or source not in types, where].add(name)
    lines = []
    for group in sorted({*members, *conformances, *((name, False, "") for name in types)}):
        (name, is_extension, where), inherited = group, ", ".join(sorted(conformances[group]))
        head = f"extension {name}"
        if name in types and not is_extension:
            head, _, where = declaration(types[name]).partition(" where ")
            head, where = re.sub(rf"\b{name.split('.')[-1]}\b", name, head, count=1), where and f" where {where}"
            if types[name]["kind"]["identifier"] == "swift.protocol": inherited = ""  # a protocol's declaration has it
        lines += ["", *([head + (inherited and f": {inherited}") + where] if name else [])]
        lines += [("    " if name else "") + member for member in sorted(members[group])]
    return [module, "=" * len(module), *lines]


print("\n\n\n".join("\n".join(interface(module, Path(sys.argv[1]))) for module in sys.argv[2:]))
