#!/usr/bin/env python3
"""Runs a command and draws what it prints as an animated SVG: a terminal whose lines come at the times at which they came.

    scripts/recording.py OUTPUT.svg COMMAND…

It shows the last lines, as a terminal does, loops, and needs no script in the page. It is as long as the command ran, but at most 15 seconds:
longer ones are shown faster. What the command says of building is left out.
"""
import html
import subprocess
import sys
import time

WIDTH, LINE, ROWS, LONGEST, PAUSE = 860, 19, 22, 15.0, 3.0

output, command = sys.argv[1], sys.argv[2:]
start = time.monotonic()
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
lines = [(time.monotonic() - start, line.rstrip("\n")) for line in process.stdout]
lines = [(moment, line) for moment, line in lines if not line.startswith("==> building")]
if process.wait() != 0:
    sys.exit(f"error: {' '.join(command)} ended with status {process.returncode}")
first, last = lines[0][0], lines[-1][0]
scale = min(1.0, LONGEST / max(last - first, 0.001))
length = (last - first) * scale + PAUSE
height = 44 + LINE * min(len(lines), ROWS)
drawn, scrolled = [], ["0% { transform: translateY(0) }"]
for number, (moment, line) in enumerate(lines):
    at = 100 * (moment - first) * scale / length
    if number >= ROWS:
        scrolled.append(f"{at:.2f}% {{ transform: translateY({-LINE * (number - ROWS + 1)}px) }}")
    # Each line is a key frame of its own: not there, then there until the recording begins again.
    drawn.append(
        f"<style>@keyframes l{number} {{ 0%, {max(at - 0.01, 0):.2f}% {{ opacity: 0 }} {at:.2f}%, 100% {{ opacity: 1 }} }} "
        f"#l{number} {{ animation: l{number} {length:.1f}s step-end infinite }}</style>"
        f'<text id="l{number}" x="16" y="{44 + LINE * number}" xml:space="preserve">{html.escape(line)}</text>')
print("\n".join([
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="13">',
    f"<title>{html.escape(' '.join(command))}</title>",
    "<style>text { fill: #e5e7eb } @media (prefers-reduced-motion: reduce) { text { animation: none !important } }</style>",
    f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#111827"/>',
    *(f'<circle cx="{20 + 18 * n}" cy="16" r="5" fill="{color}"/>' for n, color in enumerate(["#f87171", "#fbbf24", "#4ade80"])),
    f"<style>@keyframes scroll {{ {' '.join(scrolled)} }} #lines {{ animation: scroll {length:.1f}s step-end infinite }}</style>",
    f'<clipPath id="screen"><rect y="28" width="{WIDTH}" height="{height - 32}"/></clipPath>',
    '<g clip-path="url(#screen)"><g id="lines">', *drawn, "</g></g></svg>"]), file=open(output, "w"))
