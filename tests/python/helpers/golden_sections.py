"""Golden files: cases below lines `=== title`, with sections of text below lines `--- title`."""

import re
from pathlib import Path

__all__ = ["GOLDEN", "Sections", "applied_parts", "not_applied", "read_cases"]

Sections = dict[str, str]

GOLDEN = Path(__file__).parents[1] / "golden"
_APPLIED = "applied: "


def read_cases(*paths: Path) -> dict[str, Sections]:
    """Return the sections of each case of files by its name, the title with underscores."""
    cases: dict[str, Sections] = {}
    for path in paths:
        for title, text in _split("=== ", path.read_text()):
            name = title.replace(" ", "_")
            assert name not in cases, name
            cases[name] = dict(_split("--- ", text))
    return cases


def _split(mark: str, text: str) -> list[tuple[str, str]]:
    """Return the titles of a text, each with what is below it."""
    before, *parts = re.split(rf"^{mark}(.*?) *\n", text, flags=re.MULTILINE)
    assert not before
    return list(zip(parts[::2], parts[1::2], strict=True))


def applied_parts(sections: Sections) -> Sections:
    """Return the texts after a hint was followed, by the part of the hint that they hold."""
    return {
        title.removeprefix(_APPLIED): text
        for title, text in sections.items()
        if title.startswith(_APPLIED)
    }


# Parts of hints that say what is, and nothing to do.
_FACTS = {
    "functions of the C library need no definition",
    "only the <cmath> functions of std are available",
    "'raise' and 'assert' are for Python kernels",
    "the assignment makes LIMIT a local name",
}


def _alternatives(hint: str) -> list[str]:
    """Return what a hint proposes: "x * 2, or int(x) << 1" are two programs."""
    parts = re.split(r", or | or (?=[\w(]+[.(\[])|; (?!$)", hint)
    return [part for part in parts if part not in _FACTS]


def _code(alternative: str) -> str:
    """Return the code in an alternative: what is meant, what is behind a colon, or all of it."""
    meant = re.fullmatch(r"did you mean '?(.*?)'?\?", alternative)
    return meant[1] if meant else alternative.rpartition(": ")[2]


def not_applied(sections: Sections) -> list[str]:
    """Return the proposals of a golden text's hints that none of its applied parts follows.

    Where a text has several hints, a program that follows all of them holds their code, and what
    they say in words.
    """
    text = sections.get("text") or sections["warning"]
    hints = re.findall(r"^  hint: (.*)$", text, re.MULTILINE)
    applied = applied_parts(sections)
    squeezed = ["".join(program.split()) for program in applied.values()]

    def is_applied(alternative: str) -> bool:
        if any(part in alternative or alternative in part for part in applied):
            return True
        code = "".join(_code(alternative).split())
        is_prose = re.search("[a-z] [a-z]", _code(alternative)) is not None
        return len(hints) > 1 and (is_prose or any(code in program for program in squeezed))

    return [part for hint in hints for part in _alternatives(hint) if not is_applied(part)]
