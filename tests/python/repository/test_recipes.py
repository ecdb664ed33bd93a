"""The recipes of development.md: their places are the files that have the example's words."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs" / "project" / "development.md").read_text(encoding="utf-8")
SUFFIXES = {".cpp", ".hpp", ".def", ".py"}
SOURCES = ("src/numpy_plugin", "templates", "numpy_plugin")
# Maximum number of places per recipe.
MOST_PLACES = {
    "An operation": 3,
    "A function that is not a single operation": 3,
    "A NumPy function of arrays, in kernels": 4,
    "A NumPy function of device arrays": 5,
    "A dtype": 12,
    "A launch form": 11,
    "An option of a declaration": 6,
    "A PTX instruction, in the simulator": 3,
    "A setting": 4,
}


def recipes() -> dict[str, str]:
    part = TEXT.split("## Adding things")[1].split("\n## ")[0]
    return dict(section.split("\n", 1) for section in part.split("\n### ")[1:])


RECIPES = recipes()


def words(recipe: str) -> re.Pattern[str]:
    example = re.search("^Example: (.*)$", recipe, re.MULTILINE)[1]
    return re.compile(r"\b(?:" + "|".join(re.findall("`(.*?)`", example)) + r")\b")


def places(recipe: str) -> set[str]:
    return set(re.findall(r"^\| `(.*?)` \|", recipe, re.MULTILINE))


def named(recipe: str) -> set[str]:
    return set(re.findall(r"`((?:src|templates|numpy_plugin|tests|docs)/.*?)`", recipe))


def test_the_recipes_are_found():
    assert set(RECIPES) == set(MOST_PLACES)


@pytest.mark.parametrize("title", MOST_PLACES)
def test_every_place_has_the_example(title):
    pattern = words(RECIPES[title])
    assert len(places(RECIPES[title])) <= MOST_PLACES[title]
    for place in sorted(places(RECIPES[title])):
        assert pattern.search((ROOT / place).read_text(encoding="utf-8")), place


@pytest.mark.parametrize("title", MOST_PLACES)
def test_every_source_with_the_example_is_named(title):
    pattern = words(RECIPES[title])
    found = {
        str(path.relative_to(ROOT))
        for top in (("src/simulator",) if title.endswith("in the simulator") else SOURCES)
        for path in (ROOT / top).rglob("*")
        if path.suffix in SUFFIXES and pattern.search(path.read_text(encoding="utf-8"))
    }
    assert found - named(RECIPES[title]) == set()
