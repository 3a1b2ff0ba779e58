#!/usr/bin/env python3
"""Writes the classes beside this file: many of the same shape, since a class is used for the first time only once."""
import pathlib

HERE = pathlib.Path(__file__).parent
PER_LINE = 5


def lines(parts):
    return ["; ".join(parts[i : i + PER_LINE]) for i in range(0, len(parts), PER_LINE)]


def write(name, count, keys, has_schema):
    out = [
        "// Written by generate.py.",
        "// swift-format-ignore-file",
        "",
        "import AutoKVO",
        "",
        f"let {name[0].lower()}{name[1:]}Classes: [@Sendable () -> TrackedObject] = [",
        "    " + ", ".join(f"{{ {name}{i}() }}" for i in range(count)) + ",",
        "]",
    ]
    for i in range(count):
        names = [f"p{k}" for k in range(1, keys + 1)]
        out += ["", f"final class {name}{i}: TrackedObject {{"]
        out += [f"    {line}" for line in lines([f"@Observed var {n} = 0" for n in names])]
        if has_schema:
            out += ["    override class var schema: Schema {", f"        Schema({name}{i}.self, extending: super.schema) {{"]
            out += [f"            {line}" for line in lines([f'Key("{n}", \\.{n})' for n in names])]
            out += ["        }", "    }"]
        out += ["}"]
    (HERE / f"{name}.swift").write_text("\n".join(out) + "\n")


write("OneKey", 16, 1, True)
write("TwentyKeys", 16, 20, True)
write("TwentyImplicitKeys", 16, 20, False)
write("HundredKeys", 5, 100, True)
