"""The rules of the source tree that no compiler checks: who includes whom, and how long a file is.

A folder of src/, and a folder within one, includes only itself and folders that sort before it;
headers of Python, NumPy, nanobind and CUDA stay in the folders that own them; templates include
nothing from outside; no file is longer than 600 lines.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_LINES = 600
SIZED_FOLDERS = ("src", "templates", "numpy_plugin", "tests")
SIZED_SUFFIXES = {".cpp", ".hpp", ".def", ".py", ".pyi"}

# Headers that belong to some folders of src/ only, by the beginning of the included path.
OWNED_HEADERS = {
    "Python.h": {"ufunc"},
    "numpy/": {"ufunc"},
    "nanobind/": {"ufunc"},
    "cuda.h": {"load", "run", "sim"},
    "nvrtc.h": {"jit"},
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, opening bracket and path of each include of a C++ text."""
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1], match[2]


def check_source(folders: tuple[str, ...], text: str) -> list[tuple[int, str]]:
    """What a file of src/<folder>/, or of a folder within that, includes and must not."""
    found = []
    folder = folders[0]
    for line, bracket, path in includes(text):
        for header, owners in OWNED_HEADERS.items():
            if path.startswith(header) and folder not in owners:
                found.append((line, f"{path} is for {', '.join(sorted(owners))}, not for {folder}"))
        if bracket == "<":
            continue
        top, *included = path.split("/")[:-1] or [""]
        if top != "numpy_plugin" or not included:
            found.append((line, f'"{path}" is not of the form "numpy_plugin/<folder>/<file>"'))
        elif tuple(included) > folders:
            here, there = "/".join(folders), "/".join(included)
            found.append((line, f"{here} includes {path}, and {there} sorts after {here}"))
    return found


def check_template(text: str) -> list[tuple[int, str]]:
    """What a file of templates/ includes and must not."""
    return [
        (line, f"<{path}> in a template: NVRTC has no such header")
        for line, bracket, path in includes(text)
        if bracket == "<"
    ]


def check_length(text: str) -> list[tuple[int, str]]:
    """Whether a file is longer than it may be."""
    lines = text.count("\n")
    return [(lines, f"{lines} lines; a file has at most {MAX_LINES}")] if lines > MAX_LINES else []


def violations(root: Path) -> list[str]:
    """Every broken rule below `root`, each as "path:line: what"."""
    found = []
    for top in SIZED_FOLDERS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SIZED_SUFFIXES or not path.is_file() or path.is_symlink():
                continue
            name = path.relative_to(root)
            text = path.read_text(encoding="utf-8")
            problems = check_length(text)
            if top == "src" and len(name.parts) > 2:
                problems += check_source(name.parts[1:-1], text)
            elif top == "templates":
                problems += check_template(text)
            found += [f"{name}:{line}: {problem}" for line, problem in problems]
    return found


if __name__ == "__main__":
    broken = violations(Path(__file__).resolve().parent.parent)
    print("\n".join(broken) or "layout: every rule holds")
    sys.exit(bool(broken))
