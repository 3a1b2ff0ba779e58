#!/usr/bin/env python3
"""Draws the pictures of the articles from the texts in docs/pictures: one SVG each, for light and dark pages, beside the articles.

    scripts/pictures.py            writes docs/AutoKVO.docc/*.svg
    scripts/pictures.py --check    fails if one of them is not what its text says, or has none

A text has a line for each thing, in units of a pixel:

    size 640 240                       and, if there is one, title Words
    box 20 40 160 Person|target        x, y, width and lines of text; `strong` or `faint` before it says how
    arrow 180 60 300 60 observes       from, to, and what stands above its middle; `dashed` or `strong` before it
    line 20 100 620 100                without a point
    text 20 30 Words                   `bold`, `middle` or `faint` before it
    cells 20 60 A B *C -D              a row of cells; * is new, - is going
"""
import html
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STYLE = """text { fill: #1f2937; font-family: Helvetica, Arial, sans-serif; font-size: 13px }
.bold { font-weight: bold } .quiet { fill: #6b7280; font-size: 12px }
.box { fill: #f3f4f6; stroke: #6b7280 } .strong { fill: #ffedd5; stroke: #c2410c } .faint { fill: none; stroke: #9ca3af; stroke-dasharray: 4 3 }
.new { fill: #dcfce7; stroke: #15803d } .gone { fill: #fee2e2; stroke: #b91c1c; stroke-dasharray: 4 3 }
path { stroke: #374151; fill: none; stroke-width: 1.4 } .dashed { stroke-dasharray: 5 4 } #point path { fill: #374151; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #e5e7eb } .quiet { fill: #9ca3af } .box { fill: #1f2937; stroke: #9ca3af } .strong { fill: #431407; stroke: #fb923c }
.new { fill: #052e16; stroke: #4ade80 } .gone { fill: #450a0a; stroke: #f87171 } path { stroke: #d1d5db } #point path { fill: #d1d5db }
}"""


def text(x, y, words, kind="", anchor="start"):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{kind}>{html.escape(words)}</text>'


def box(words, kind):
    x, y, width = map(float, words[:3])
    lines = " ".join(words[3:]).split("|")
    height = 16 + 18 * len(lines)
    drawn = [f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height}" rx="5"/>']
    for number, line in enumerate(lines):
        drawn.append(text(x + width / 2, y + 21 + 18 * number, line, "bold" if number == 0 else "quiet", "middle"))
    return drawn


def arrow(words, kind, point=True):
    x1, y1, x2, y2 = map(float, words[:4])
    mark = ' marker-end="url(#point)"' if point else ""
    drawn = [f'<path class="{kind}" d="M{x1:g} {y1:g}L{x2:g} {y2:g}"{mark}/>']
    if len(words) > 4:
        drawn.append(text((x1 + x2) / 2, (y1 + y2) / 2 - 6, " ".join(words[4:]), "quiet", "middle"))
    return drawn


def cells(words):
    x, y = map(float, words[:2])
    drawn = []
    for number, word in enumerate(words[2:]):
        kind = {"*": "new", "-": "gone"}.get(word[0], "box")
        left = x + 44 * number
        drawn.append(f'<rect class="{kind}" x="{left:g}" y="{y:g}" width="40" height="30" rx="3"/>')
        drawn.append(text(left + 20, y + 20, word.lstrip("*-"), "", "middle"))
        drawn.append(text(left + 20, y + 44, str(number), "quiet", "middle"))
    return drawn


def drawing(name, source):
    size, title, drawn = (640, 240), name, []
    for number, line in enumerate(source.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        kind = words.pop(0) if words[0] in ("strong", "faint", "dashed", "bold", "middle") else ""
        verb = words.pop(0)
        if verb == "size":
            size = tuple(map(int, words))
        elif verb == "title":
            title = " ".join(words)
        elif verb == "box":
            drawn += box(words, kind or "box")
        elif verb in ("arrow", "line"):
            drawn += arrow(words, kind, verb == "arrow")
        elif verb == "cells":
            drawn += cells(words)
        elif verb == "text":
            style = {"bold": "bold", "faint": "quiet"}.get(kind, "")
            drawn.append(text(float(words[0]), float(words[1]), " ".join(words[2:]), style, "middle" if kind == "middle" else "start"))
        else:
            sys.exit(f"error: docs/pictures/{name}.txt:{number}: no such thing as {verb!r}")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" height="{size[1]}" role="img">',
        f"<title>{html.escape(title)}</title>", f"<style>\n{STYLE}\n</style>",
        '<marker id="point" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>',
        *drawn, "</svg>", ""])


wrong = [
    picture.name for picture in sorted((ROOT / "docs/AutoKVO.docc").glob("*.svg"))
    if not (ROOT / "docs/pictures" / (picture.stem + ".txt")).exists()]
for source in sorted((ROOT / "docs/pictures").glob("*.txt")):
    picture = ROOT / "docs/AutoKVO.docc" / (source.stem + ".svg")
    new = drawing(source.stem, source.read_text())
    if "--check" in sys.argv:
        if not picture.exists() or picture.read_text() != new:
            wrong.append(picture.name)
    else:
        picture.write_text(new)
if wrong:
    sys.exit(f"error: {', '.join(wrong)}: not what docs/pictures says; run scripts/pictures.py")
