"""Print the requirements in pyproject.toml, one per line: `build` or the name of an extra."""

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(kind: str) -> list[str]:
    """Return the build requirements, or those of one extra."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    if kind == "build":
        return list(project["build-system"]["requires"])
    extras = project["project"]["optional-dependencies"]
    if kind not in extras:
        raise SystemExit(f"no extra {kind!r}; expected build or one of {', '.join(extras)}")
    return list(extras[kind])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: requirements.py build|EXTRA")
    print("\n".join(requirements(sys.argv[1])))
