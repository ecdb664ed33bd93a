"""Golden files: sections of text, each below a line `--- title`."""

from pathlib import Path

__all__ = ["GOLDEN", "Sections", "applied_parts", "read_sections"]

Sections = dict[str, str]

GOLDEN = Path(__file__).parent / "golden" / "diagnostics"
_APPLIED = "applied: "


def read_sections(path: Path) -> Sections:
    """Return the texts of a file's sections by their titles."""
    sections: Sections = {}
    title = ""
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("--- "):
            title = line[4:].strip()
            sections[title] = ""
        else:
            sections[title] += line
    return sections


def applied_parts(sections: Sections) -> Sections:
    """Return the texts after a hint was followed, by the part of the hint that they hold."""
    return {
        title.removeprefix(_APPLIED): text
        for title, text in sections.items()
        if title.startswith(_APPLIED)
    }
