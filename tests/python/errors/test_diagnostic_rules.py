"""What holds for all texts that users read: length, words, and names that are nearly the word."""

import re

import pytest
from golden_entries import ENTRIES

TEXTS = {name: entry.text for name, entry in ENTRIES.items()}
FORBIDDEN = set(
    """please error invalid unsupported illegal node overload unify lvalue weak strong nopython
    lowering IR register""".split()  # noqa: SIM905
)


def messages(text: str) -> list[str]:
    """Return the first line of each error of a text."""
    return [part.partition("\n")[0] for part in text.split("\n\n")]


def words_of_ours(text: str) -> list[str]:
    """Return the lines that are not the user's own source."""
    said = messages(text)
    return said + re.findall(r"^  (?:note|hint): (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("name", ENTRIES)
def test_the_first_line(name):
    source = ENTRIES[name].source
    for line in messages(TEXTS[name]):
        assert 0 < len(line) <= 90
        assert not line.endswith((".", "!"))
        first = re.split(r"[ .(]", line)[0]
        assert not line[0].isupper() or first in source or first in ("None", "'None'")


@pytest.mark.parametrize("name", ENTRIES)
def test_words(name):
    for line in words_of_ours(TEXTS[name]):
        found = set(re.findall(r"\w+", line)) & FORBIDDEN
        assert not found
        assert "numpy_plugin._" not in line
        assert "<lambda>" not in line


@pytest.mark.parametrize("name", ENTRIES)
def test_at_most_ten_errors_and_each_has_its_place(name):
    parts = TEXTS[name].split("\n\n")
    assert len(parts) <= 10
    if not ENTRIES[name].how:
        assert all(re.match(r'.*\n  File "\w+\.py", line \d+, in ', part) for part in parts)


def n_edits(one: str, other: str) -> int:
    """Return the edit distance of two words."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


NEAR = re.compile(r"'(\w+)'(?:\n(?!\n).*)*?\n  hint: did you mean '(?:\w+\.)*(\w+)'\?")
SUGGESTIONS = [(name, *pair) for name, text in TEXTS.items() for pair in NEAR.findall(text)]


def test_there_are_suggestions():
    assert len(SUGGESTIONS) >= 5


@pytest.mark.parametrize(("name", "word", "meant"), SUGGESTIONS)
def test_suggestions_are_near(name, word, meant):
    assert n_edits(word.lower(), meant.lower()) <= (2 if len(word) > 3 else 1)


def test_the_edit_distance():
    assert n_edits("sqroot", "sqrt") == 2
    assert n_edits("dd", "d") == 1
    assert n_edits("", "abc") == 3
