"""The steps of a call in src/README.md: each is in the file that its row names."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "src" / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`.*?`) \| (`.*?`) \|", TEXT.split("## A call")[1], re.MULTILINE)


def text_of(file: str) -> str:
    at = ROOT if file.startswith("templates/") else ROOT / "src" / "numpy_plugin"
    return (at / file).read_text(encoding="utf-8")


def test_the_rows_are_found():
    assert len(ROWS) > 20


@pytest.mark.parametrize(("steps", "files"), ROWS)
def test_every_step_is_in_its_file(steps, files):
    texts = [text_of(file) for file in re.findall("`(.*?)`", files)]
    for name in re.findall(r"\w+", steps):
        assert any(re.search(rf"\b{name}\b", text) for text in texts), name
