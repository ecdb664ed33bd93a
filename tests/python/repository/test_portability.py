"""docs/reference/portability.md lists every file that assumes more than standard C++ and Python."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = (ROOT / "docs" / "reference" / "portability.md").read_text(encoding="utf-8")

# Headers of Python, NumPy, nanobind, CUDA and templates/. Those of standard C++ have no suffix.
OWNED = ("Python.h", "numpy/", "nanobind/", "cuda.h", "nvrtc.h", "frameobject.h", "npp/", "nvtx3/")
INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)
# Paths and file names of Linux in strings, not in comments.
LITERAL = re.compile(r'"[^"\n]*(?:/proc/|/sys/|\.so\b)[^"\n]*"')


def is_unportable(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return "sched_getaffinity" in text or LITERAL.search(text) is not None
    foreign = [
        name
        for name in INCLUDE.findall(text)
        if re.search(r"[./]", name) and not name.startswith(OWNED)
    ]
    code = re.sub(r"//.*", "", text)
    return bool(foreign) or LITERAL.search(code) is not None


def unportable() -> list[str]:
    files = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".cpp", ".hpp", ".def")]
    files += (ROOT / "numpy_plugin").rglob("*.py")
    assert len(files) > 500
    return sorted(str(path.relative_to(ROOT)) for path in files if is_unportable(path))


def test_the_table_has_every_such_file_and_no_other():
    listed = re.findall(r"^\| `([^`]+)` \|", DOCUMENT, re.MULTILINE)
    assert sorted(listed) == unportable()


def test_every_file_it_names_is_there():
    named = re.findall(r"`((?:src|numpy_plugin|tools)/[\w/.]+)`", DOCUMENT)
    assert len(named) > 40
    assert [name for name in named if not (ROOT / name).exists()] == []
