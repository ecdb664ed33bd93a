"""Words that the glossary replaced do not come back: in documents, messages and comments."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DIRECTORIES = ("benchmarks", "docs", "examples", "numpy_plugin", "src", "templates", "tools")
SUFFIXES = {".cmake", ".cpp", ".def", ".hpp", ".md", ".py"}

# By the glossary's term, or the rule.
BANNED = {
    "host array": r"\barrays? of the host\b",
    "GIL": r"\bPython's (?:global )?lock\b",
    "int": r"\bwhole numbers?\b",
    "offload": r"\bthere and back\b",
    "user": r"\b(?:a|the) person(?:'s)?\b",
    "a noun or a verb begins a comment": r'^\s*(?://|#|""") ?(?:What|Who) ',
    "is": r"\b(?:lies|stood)\b",
    "this package": r"\b(?:one|bug|rule|type|function) of ours\b",
    "ordinal": r"\bhow-manieth\b",
    "must be a str": r"\bis a text\b",
    "directory": r"\b[Ff]olders?\b",
}


def sources() -> list[Path]:
    files = [path for top in DIRECTORIES for path in (ROOT / top).rglob("*")]
    files += ROOT.glob("*.md")
    return [
        path
        for path in files
        if path.suffix in SUFFIXES
        and path.name != "CHANGELOG.md"
        and (ROOT / "docs" / "benchmarks") not in path.parents
    ]


def found(better: str, text: str) -> list[str]:
    """Return the banned words in a text, also those that a line's end parts."""
    pattern = BANNED[better]
    if not pattern.startswith("^"):
        pattern = pattern.replace(" ", r"\s+(?:(?://|#)\s+)?")
    return [match.group() for match in re.finditer(pattern, text, re.MULTILINE)]


@pytest.mark.parametrize("better", BANNED)
def test_replaced_words_stay_away(better):
    names = [path.relative_to(ROOT) for path in sources()]
    assert len(names) > 500
    places = [
        f"{path.relative_to(ROOT)}: {word!r}"
        for path in sources()
        if path.name != "glossary.md"
        for word in found(better, path.read_text(encoding="utf-8"))
    ]
    assert places == []


@pytest.mark.parametrize(
    ("better", "text"),
    [
        ("host array", "copies arrays of the host"),
        ("a noun or a verb begins a comment", "\n  // What is kept.\n"),
        ("is", "where the library lies"),
        ("must be a str", "layout is a text"),
        ("directory", "a folder"),
        ("host array", "// copies arrays of the\n// host to it"),
    ],
)
def test_the_patterns_find_them(better, text):
    assert len(found(better, text)) == 1
