"""`numpy_plugin.build.build`: an extension module from a file of declarations."""

from __future__ import annotations

import inspect
import os
import sysconfig
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from numpy_plugin import _core
from numpy_plugin._build.contents import exception_source, exceptions, stub, table_rows
from numpy_plugin._build.declarations import Declarations, read_declarations
from numpy_plugin._build.device import device_data
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["build", "checked_levels", "make_objects", "write_stub"]

_ARCHIVE = Path(__file__).resolve().parents[1] / "libnumpy_plugin_built_module.a"
#: A level of x86-64 for which nearly no processor is the best.
_RARE_LEVELS = {"x86-64-v2"}


@without_own_frames
def build(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    levels: Sequence[str] | None = None,
    arch: Sequence[str] = (),
) -> Path:
    """Compile the ufuncs that a Python file declares to an extension module.

    The module needs NumPy only: no compiler, no NVRTC and not this package. Its loops run in the
    thread that calls them; on import it chooses the newest level that the processor supports. Where
    this package is installed, too, its ufuncs take device arrays.

    Args:
        source: the file, whose public ufuncs become the module's. It is run.
        output: the module without Python's suffix, such as "mylibrary/_ufuncs". A stub for type
            checkers, `_ufuncs.pyi`, is written next to it.
        levels: the instruction sets to compile for, in GCC's names. None for "x86-64", "x86-64-v3"
            (AVX2) and "x86-64-v4" (AVX-512), or for the processor's only level.
        arch: GPU architectures to compile for: machine code for "sm_90", PTX for "compute_90".

    Returns:
        The path of the module.

    Raises:
        FileNotFoundError: there is no such file, or no directory for the module.
        ValueError: the file declares no ufuncs, or one that can't be compiled ahead of time; the
            module would hide its source; an unknown level or architecture.
        CompilerError: a compiler is missing, or it failed.
    """
    source, output = Path(source), Path(output)
    chosen = checked_levels(levels)
    _check_output(source, output)
    declarations = read_declarations(source)
    with tempfile.TemporaryDirectory() as directory:
        objects = make_objects(declarations, output.name, chosen, arch, Path(directory))
        with tempfile.TemporaryDirectory(dir=output.parent) as beside:
            linked = Path(beside) / "module.so"
            _core.link_module([str(path) for path in objects], str(linked))
            module = output.with_name(output.name + sysconfig.get_config_var("EXT_SUFFIX"))
            linked.replace(module)
    write_stub(declarations, output)
    return module


def checked_levels(levels: Sequence[str] | None) -> list[str]:
    """Return the levels in the order of the table; raise a ValueError for others."""
    known = _core.cpu_levels()
    if levels is None:
        wanted = [level for level in known if level not in _RARE_LEVELS]
    else:
        for level in levels:
            if level not in known:
                raise ValueError(f"unknown level {level!r}; expected some of {', '.join(known)}")
        wanted = [level for level in known if level in levels]
    if not wanted:
        raise ValueError(
            f"no level to compile for; expected some of {', '.join(known) or 'none: this processor'}"
        )
    return wanted


def check_name(name: str) -> None:
    """Raise a ValueError for names that no extension module of C can have."""
    if not (name.isidentifier() and name.isascii()):
        raise ValueError(
            f"the module's name is {name!r}; expected a name of ASCII letters and digits"
        )


def _check_output(source: Path, output: Path) -> None:
    check_name(output.name)
    if not output.parent.is_dir():
        raise FileNotFoundError(f"there is no directory {str(output.parent)!r} for the module")
    if output.resolve() == source.resolve().with_suffix(""):
        raise ValueError(
            f"the module {str(output)!r} would hide its source {str(source)!r} from imports\n"
            f"  hint: give it another name, such as {output.name}_ufuncs"
        )


def make_objects(
    declarations: Declarations,
    name: str,
    levels: Sequence[str],
    arch: Sequence[str],
    directory: Path,
) -> list[Path]:
    """Write the object files of a module, and return what it is linked from."""
    if not _ARCHIVE.is_file():
        raise FileNotFoundError(f"{str(_ARCHIVE)!r} is missing; install numpy_plugin again")
    kernels = [
        (declared.ufunc, level, number, level_number)
        for number, declared in enumerate(declarations.ufuncs)
        for level_number, level in enumerate(levels)
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        contents = list(pool.map(lambda kernel: _core.built_object(*kernel), kernels))
    data = directory / "device_data"
    data.write_bytes(device_data(declarations, arch))
    raised = exceptions(declarations)
    table = _core.built_table(
        name,
        inspect.getdoc(declarations.module) or "",
        levels,
        table_rows(declarations),
        exception_source() if raised else "",
        raised,
        str(data.resolve()),
    )
    paths = []
    for number, content in enumerate([table, *contents]):
        paths.append(directory / f"{number}.o")
        paths[-1].write_bytes(content)
    return [*paths, _ARCHIVE]


def write_stub(declarations: Declarations, output: Path) -> None:
    """Write the module's stub next to it."""
    output.with_name(f"{output.name}.pyi").write_text(stub(declarations), encoding="utf-8")
