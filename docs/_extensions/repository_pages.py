"""Pages as the code host shows them: plain Markdown, with links to files of the repository.

- Links to documents outside of docs/ lead to the pages that stand for them here, and links to
  directories to their index page; where there is none, the link's text remains.
- Pages of PAGES have the text of the document that they stand for.
- The links in the lists of a page called `index` are its table of contents; a README's is its
  directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent

# The pages of documents outside of docs/.
PAGES = {
    "project/changes": "CHANGELOG.md",
    "project/contributing": "CONTRIBUTING.md",
    "project/simulator_source": "src/simulator/README.md",
    "project/source": "src/README.md",
}
# The pages of directories.
DIRECTORIES = {
    "docs": "index.md",
    "docs/benchmarks": "benchmarks/README.md",
    "examples": "examples.md",
    "examples/gallery": "gallery/index.rst",
}

TREE = "```{{toctree}}\n:hidden:\n{pages}\n```\n"

CODE = re.compile(r"(^```.*?^```$|`(?:[^`\n]|\n(?!\n))+`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)?(#[^)]*)?\)")
ITEM = re.compile(r"^- \[([^\]]+)\]\(([^)#]+)\)", re.MULTILINE)
SECTION = re.compile(r"^## ", re.MULTILINE)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Change a document's text, but not its code."""
    parts = CODE.split(text)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def page_of(path: Path) -> Path | None:
    """Return the page that stands for a document or a directory, or None."""
    name = os.path.relpath(path, ROOT)
    pages = {source: f"{page}.md" for page, source in PAGES.items()} | DIRECTORIES
    return DOCS / pages[name] if name in pages else None


def site_link(match: re.Match[str], written_in: Path, page: Path) -> str:
    """Return a link of a document as it is on a page of the site."""
    text, target, anchor = match[1], match[2], match[3] or ""
    if not target or "://" in target or target.startswith("mailto:"):
        return match[0]
    path = (written_in.parent / target).resolve()
    found = page_of(path)
    if found is None and path.is_dir():
        return text
    relative = os.path.relpath(found or path, page.parent)
    return f"[{text}]({relative}{anchor})"


def contents(text: str) -> str:
    """Return the lists of links of an index as tables of contents, one for each section."""
    trees = []
    for section in SECTION.split(text):
        pages = [os.path.splitext(target)[0] for _, target in ITEM.findall(section)]
        if pages:
            trees.append(TREE.format(pages="\n" + "\n".join(pages)))
    return "\n".join(trees)


def site_text(text: str, docname: str) -> str:
    """Return the text of a page from that of the repository's document."""
    page = DOCS / f"{docname}.md"
    written_in = page
    if docname in PAGES:
        written_in = ROOT / PAGES[docname]
        text = written_in.read_text(encoding="utf-8")
    text = outside_code(text, lambda part: LINK.sub(lambda m: site_link(m, written_in, page), part))
    if page.stem == "index":
        text += "\n" + contents(text)
    elif page.stem == "README":
        text += "\n" + TREE.format(pages=":glob:\n\n*")
    return text


def read_source(app: Any, docname: str, source: list[str]) -> None:
    """Replace a page's source before it is parsed."""
    if Path(app.env.doc2path(docname)).suffix == ".md":
        source[0] = site_text(source[0], docname)
    if docname in PAGES:
        app.env.note_dependency(str(ROOT / PAGES[docname]), docname=docname)


def setup(app: Any) -> dict[str, bool]:
    """Add the extension to a Sphinx application."""
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
