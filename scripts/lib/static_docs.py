#!/usr/bin/env python3
"""Writes a documentation archive of docc as plain HTML: pages that a browser shows from the disk, without a server.

    scripts/lib/static_docs.py ARCHIVE OUTPUT

docc's own pages load their content with a script, which browsers refuse for file:// addresses. The archive also has the content of
each page as JSON (docc's RenderNode), and this program writes each as one HTML file with relative links, and OUTPUT/index.html. Code is
coloured here; the one script on a page makes the buttons that copy it.
It fails for content of a kind that it does not know, and for a link between two pages that leads nowhere.
"""

import html
import json
import posixpath
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import quote

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 52rem; padding: 1.5rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .88em; }
pre.declaration { white-space: pre-wrap; overflow-wrap: anywhere; }
td p, th p, dd p { margin: 0; }
pre { background: var(--soft); border-radius: 6px; overflow-x: auto; padding: .8rem 1rem; line-height: 1.45; }
p code, li code, td code { background: var(--soft); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere; }
a { text-decoration: none; } a:hover { text-decoration: underline; }
h1 { overflow-wrap: anywhere; line-height: 1.2; } h2 { border-top: 1px solid var(--line); margin-top: 2.2rem; padding-top: 1rem; }
nav, .eyebrow { opacity: .75; font-size: .9em; }
.abstract { font-size: 1.15em; }
table { border-collapse: collapse; display: block; overflow-x: auto; } th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
aside { border-left: 3px solid var(--line); margin: 1rem 0; padding: .1rem 1rem; }
img { max-width: 100%; height: auto; }
.code { position: relative; } .code button { position: absolute; top: .4rem; right: .4rem; font-size: .75em; opacity: 0; } .code:hover button, .code button:focus { opacity: .8; }
.k { color: #9b2393; } .s { color: #c41a16; } .c { color: #5d6c79; } .n { color: #1c00cf; } .t { color: #0b4f79; }
@media (prefers-color-scheme: dark) { .k { color: #fc5fa3; } .s { color: #fc6a5d; } .c { color: #92a1b1; } .n { color: #d0bf69; } .t { color: #5dd8ff; } }
dl.topics dt { margin-top: .6rem; overflow-wrap: anywhere; } dl.topics dd { margin-left: 1.2rem; opacity: .8; }
"""


COPY = """<script>
for (const block of document.querySelectorAll(".code")) {
  const button = block.appendChild(document.createElement("button"));
  button.textContent = "Copy";
  button.onclick = async () => {
    await navigator.clipboard.writeText(block.querySelector("code").innerText);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
}
</script>"""

# What a line of Swift is made of, in the order in which it is looked for: comments, strings, attributes and keywords, types, numbers.
TOKENS = re.compile(
    r"(?P<c>//[^\n]*)|(?P<s>\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<k>@\w+|#\w+|\b(?:actor|any|as|async|await|case|catch|class|defer|deinit|do|else|enum|extension|final|for|func|guard|if|import|in|init"
    r"|inout|is|let|nil|nonisolated|override|private|public|protocol|return|self|some|static|struct|super|switch|throw|throws|true|false|try|unowned|var"
    r"|weak|where|while)\b)"
    r"|(?P<t>\b[A-Z]\w*)|(?P<n>\b\d[\d_.]*\b)")


def coloured(code):
    """Swift as HTML, each word in a span of its kind."""
    parts, end = [], 0
    for match in TOKENS.finditer(code):
        parts.append(html.escape(code[end : match.start()]))
        parts.append(f'<span class="{match.lastgroup}">{html.escape(match[0])}</span>')
        end = match.end()
    return "".join(parts) + html.escape(code[end:])


class Page:
    """One page of the archive, and what its links refer to."""

    def __init__(self, node, pages):
        self.node, self.pages = node, pages
        self.path = node["variants"][0]["paths"][0].lower()
        self.title = node["metadata"]["title"]

    def file(self, path=None):
        return (path or self.path).lstrip("/") + ".html"

    def address(self, url):
        """The relative address of another page. Percent-encoded, since names of functions contain colons."""
        path, _, anchor = url.partition("#")
        if path.lower() not in self.pages:
            raise SystemExit(f"error: {self.path} refers to {url}, which is no page")
        relative = posixpath.relpath(self.file(path.lower()), posixpath.dirname(self.file()))
        return quote(relative) + ("#" + quote(anchor) if anchor else "")

    def link(self, identifier, as_code=False):
        reference = self.node["references"][identifier]
        title = html.escape(reference["title"])
        if reference.get("kind") == "symbol" and reference.get("role") != "collection":
            title = f"<code>{title}</code>"
        if as_code and reference.get("fragments"):
            title = "<code>" + "".join(html.escape(part["text"]) for part in reference["fragments"]) + "</code>"
        if "url" not in reference:
            return title
        if not reference["url"].startswith("/"):
            return f'<a href="{html.escape(reference["url"])}">{title}</a>'
        return f'<a href="{self.address(reference["url"])}">{title}</a>'

    def inline(self, items):
        return "".join(self.inline_item(item) for item in items)

    def inline_item(self, item):
        match item["type"]:
            case "text":
                return html.escape(item["text"])
            case "codeVoice":
                return f"<code>{html.escape(item['code'])}</code>"
            case "emphasis":
                return f"<em>{self.inline(item['inlineContent'])}</em>"
            case "strong":
                return f"<strong>{self.inline(item['inlineContent'])}</strong>"
            case "reference":
                return self.link(item["identifier"])
            case "image":
                return self.image(self.node["references"][item["identifier"]])
            case kind:
                raise SystemExit(f"error: {self.path} has text of the kind {kind}, which is not known here")

    def image(self, reference):
        # Plain pages are light: a picture for dark ones is a further variant.
        light = [variant for variant in reference["variants"] if "dark" not in variant["traits"]]
        name = posixpath.basename((light or reference["variants"])[0]["url"])
        address = posixpath.relpath("images/" + name, posixpath.dirname(self.file()))
        return f'<img src="{quote(address)}" alt="{html.escape(reference.get("alt") or "")}">'

    def blocks(self, items):
        return "\n".join(self.block(item) for item in items)

    def block(self, item):
        match item["type"]:
            case "paragraph":
                return f"<p>{self.inline(item['inlineContent'])}</p>"
            case "heading":
                level = item["level"]
                return f'<h{level} id="{html.escape(item["anchor"])}">{html.escape(item["text"])}</h{level}>'
            case "codeListing":
                code = chr(10).join(item["code"])
                shown = coloured(code) if item.get("syntax") in ("swift", None) else html.escape(code)
                return f'<div class="code"><pre><code>{shown}</code></pre></div>'
            case "aside":
                return f"<aside><strong>{html.escape(item['name'])}:</strong> {self.blocks(item['content'])}</aside>"
            case "unorderedList":
                return "<ul>" + self.list_items(item) + "</ul>"
            case "orderedList":
                return "<ol>" + self.list_items(item) + "</ol>"
            case "table":
                return "<table>" + "".join(self.row(row, index) for index, row in enumerate(item["rows"])) + "</table>"
            case kind:
                raise SystemExit(f"error: {self.path} has a block of the kind {kind}, which is not known here")

    def list_items(self, item):
        return "".join(f"<li>{self.blocks(entry['content'])}</li>" for entry in item["items"])

    def row(self, cells, index):
        tag = "td" if index else "th"
        return "<tr>" + "".join(f"<{tag}>{self.blocks(cell)}</{tag}>" for cell in cells) + "</tr>"

    def section(self, section):
        match section["kind"]:
            case "declarations":
                texts = ("".join(token["text"] for token in one["tokens"]) for one in section["declarations"])
                return "".join(f'<pre class="declaration"><code>{html.escape(text)}</code></pre>' for text in texts)
            case "parameters":
                names = (f"<dt><code>{html.escape(one['name'])}</code></dt><dd>{self.blocks(one['content'])}</dd>" for one in section["parameters"])
                return f"<h2>Parameters</h2><dl>{''.join(names)}</dl>"
            case "content":
                return self.blocks(section["content"])
            case "mentions":
                return f"<h2>Mentioned in</h2><p>{', '.join(self.link(one) for one in section['mentions'])}</p>"
            case kind:
                raise SystemExit(f"error: {self.path} has a section of the kind {kind}, which is not known here")

    def groups(self, heading, name):
        """Sections that list other pages, such as the topics of a type."""
        if not self.node.get(name):
            return ""
        parts = [f"<h2>{heading}</h2>"]
        for group in self.node[name]:
            parts.append(f"<h3>{html.escape(group['title'])}</h3><dl class=\"topics\">")
            for identifier in group["identifiers"]:
                abstract = self.node["references"][identifier].get("abstract", [])
                parts.append(f"<dt>{self.link(identifier, as_code=True)}</dt><dd>{self.inline(abstract)}</dd>")
            parts.append("</dl>")
        return "".join(parts)

    def render(self):
        ancestors = self.node["hierarchy"].get("paths") or [[]]
        start = posixpath.relpath("index.html", posixpath.dirname(self.file()))
        crumbs = [f'<a href="{start}">Documentation</a>'] + [self.link(one) for one in ancestors[0]]
        # Where the page is mentioned comes after what it says.
        sections = sorted(self.node.get("primaryContentSections", []), key=lambda one: one["kind"] == "mentions")
        eyebrow = html.escape(self.node["metadata"].get("roleHeading", ""))
        return document(
            self.title, posixpath.relpath("style.css", posixpath.dirname(self.file())),
            f"<nav>{' › '.join(crumbs)}</nav><p class=\"eyebrow\">{eyebrow}</p><h1>{html.escape(self.title)}</h1>"
            + f"<p class=\"abstract\">{self.inline(self.node.get('abstract', []))}</p>"
            + self.blocks(self.node.get("deprecationSummary", []))
            + "".join(self.section(one) for one in sections)
            + self.groups("Topics", "topicSections") + self.groups("Default implementations", "defaultImplementationsSections")
            + self.groups("Relationships", "relationshipsSections") + self.groups("See also", "seeAlsoSections"))


def document(title, style, body):
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
    return f'<!DOCTYPE html><html lang="en"><head>{head}<link rel="stylesheet" href="{style}"></head><body>\n{body}\n{COPY}\n</body></html>\n'


def main(archive, output):
    pages = {}
    for file in sorted(Path(archive, "data", "documentation").rglob("*.json")):
        page = Page(json.loads(file.read_text()), pages)
        pages[page.path] = page
    shutil.rmtree(output, ignore_errors=True)
    for page in pages.values():
        file = Path(output, page.file())
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page.render())
    Path(output, "style.css").write_text(STYLE)
    Path(output, "images").mkdir()
    for image in Path(archive, "images").rglob("*"):
        if image.suffix in (".svg", ".png"): shutil.copy(image, Path(output, "images", image.name))
    modules = [page for page in pages.values() if page.path.count("/") == 2]
    entries = (
        f'<dt><a href="{page.file()}">{html.escape(page.title)}</a></dt><dd>{page.inline(page.node["abstract"])}</dd>' for page in modules)
    body = f"<h1>Documentation</h1><dl class=\"topics\">{''.join(entries)}</dl>"
    Path(output, "index.html").write_text(document("AutoKVO", "style.css", body))
    print(f"{len(pages)} pages")


if __name__ == "__main__":
    main(*sys.argv[1:])
