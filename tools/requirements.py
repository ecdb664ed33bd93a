"""Print the requirements in pyproject.toml, one per line: `build` or the name of an extra."""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(kind: str) -> list[str]:
    """Return the build requirements, or those of one extra and of the extras that it names."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    if kind == "build":
        return list(project["build-system"]["requires"])
    extras = project["project"]["optional-dependencies"]
    if kind not in extras:
        raise SystemExit(f"no extra {kind!r}; expected build or one of {', '.join(extras)}")
    found = []
    for requirement in extras[kind]:
        own = re.fullmatch(re.escape(project["project"]["name"]) + r"\[(.+)\]", requirement)
        names = own[1].split(",") if own else []
        found += [each for name in names for each in requirements(name)] or [requirement]
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: requirements.py build|EXTRA")
    print("\n".join(requirements(sys.argv[1])))
