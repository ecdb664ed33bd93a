"""`numpy_plugin.build.extensions`: modules of ufuncs as extensions of setuptools."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from numpy_plugin._build.declarations import read_declarations
from numpy_plugin._build.module import check_name, checked_levels, make_objects

if TYPE_CHECKING:
    from setuptools import Extension

__all__ = ["extensions"]


def extensions(
    modules: Sequence[tuple[str, str | os.PathLike[str]]],
    *,
    levels: Sequence[str] | None = None,
    arch: Sequence[str] = (),
) -> list[Extension]:
    """Return the extensions for `setup(ext_modules=...)`.

    Args:
        modules: for each module its full name and the file that declares its ufuncs:
            `[("mylibrary._ufuncs", "declarations/ufuncs.py")]`.
        levels: as for `build`.
        arch: as for `build`.

    Returns:
        An extension for each module. It is compiled when setuptools builds it, and linked by
        setuptools. Object files are in `build/numpy_plugin`.

    Raises:
        ValueError: two modules have one name, or a name, level or architecture is invalid.
        FileNotFoundError: a file does not exist.
        TypeError: `modules` is no sequence of pairs.
        ImportError: setuptools is not installed.
    """
    from numpy_plugin._build.setuptools_extension import UfuncExtension

    chosen = checked_levels(levels)
    sources: dict[str, Path] = {}
    for module in modules:
        if isinstance(module, str) or len(module) != 2:
            raise TypeError(
                f"a module is a pair of its name and its source, not {module!r}\n"
                '  hint: extensions([("mylibrary._ufuncs", "declarations/ufuncs.py")])'
            )
        name, source = module[0], Path(module[1])
        if name in sources:
            raise ValueError(
                f"two modules have the name {name!r}: {sources[name]} and {source}\n"
                "  hint: give them different names, or declare all ufuncs in one file"
            )
        if not source.is_file():
            raise FileNotFoundError(f"there is no file {str(source)!r} for the module {name!r}")
        check_name(name.rpartition(".")[2])
        sources[name] = source

    def make(name: str, source: Path) -> list[str]:
        directory = Path("build") / "numpy_plugin" / name
        directory.mkdir(parents=True, exist_ok=True)
        short_name = name.rpartition(".")[2]
        objects = make_objects(read_declarations(source), short_name, chosen, arch, directory)
        return [str(path) for path in objects]

    return [UfuncExtension(name, source, make) for name, source in sources.items()]
