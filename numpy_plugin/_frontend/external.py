"""`declare_device`: external functions for kernels to call."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from numpy_plugin import _core
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import check_encodable, mistaken
from numpy_plugin._frontend.types import Signature, signature_text

__all__ = ["DeclaredFunction", "declare_device", "device_codes"]

PathLike = str | os.PathLike[str]
DeviceCodeLike = PathLike | bytes
DeviceCodes = DeviceCodeLike | Sequence[DeviceCodeLike]

_SOURCE_SUFFIXES = {".c", ".cc", ".cpp", ".cu", ".cuh", ".cxx", ".h", ".hpp"}


class DeclaredFunction:
    """A function that kernels call by its C name. Made by `declare_device`."""

    __module__ = "numpy_plugin"

    def __init__(self, native: _core.ExternalFunction, declared: tuple[Any, ...]) -> None:
        """Keep the declaration, which is what pickles contain."""
        self.native = native
        self.declared = declared
        self.__name__: str = declared[0]

    @property
    def signature(self) -> str:
        """The types of the result and of the arguments: "int32(int32, int32)"."""
        return self.native.signature

    @without_own_frames
    def __call__(self, *args: object) -> NoReturn:
        """Raise a TypeError: only kernels can call it."""
        raise TypeError(
            f"'{self.__name__}' is called in kernels only\n"
            f"  hint: for a ufunc, put @npp.vectorize above a function that returns "
            f"{self.__name__}(...)"
        )

    def __copy__(self) -> DeclaredFunction:
        """Return the function itself."""
        return self

    def __deepcopy__(self, memo: object) -> DeclaredFunction:
        """Return the function itself."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Return the declaration for a pickle: str and bytes, no files except shared libraries."""
        return rebuild_declared_function, self.declared

    def __repr__(self) -> str:
        """Return the name and the types."""
        return f"<declared function {self.__name__}: {self.signature}>"


@without_own_frames
def declare_device(
    name: str,
    signature: str | Signature,
    *,
    source: PathLike | None = None,
    link: DeviceCodes = (),
    cpu: PathLike | None = None,
) -> DeclaredFunction:
    """Declare an external function for kernels to call.

    Kernels call it like a device function; arguments are cast to the declared types as results
    are. It needs code for each target that its kernels are called on.

    Args:
        name: its name in C.
        signature: its types, as a type signature: `"int32(int32, int32)"`. C types: bool, integers,
            float32, float64; one result.
        source: CUDA C++ that defines it for devices: source code, or the path of a file.
        link: compiled code for devices: PTX, cubins, objects, LTO-IR, fatbins, static libraries, as
            bytes or paths. The function must have C linkage there: `extern "C" __device__`.
        cpu: C or C++ that defines it for the CPU: source code, or the path of a file; or the path
            of a shared library that defines it with C linkage.

    Returns:
        The function for kernels to call.

    Raises:
        SignatureError: the name or the types are not valid in C, or PTX has other types.
        ValueError: there is no code, or some of it is invalid or does not define the function.
        FileNotFoundError: a file does not exist.
        OSError: the shared library can't be loaded.
    """
    if not isinstance(name, str):
        raise mistaken(TypeError, wrong_class("name", "a str", name), 'name="scale"', "name")
    check_encodable("name", name)
    for argument, text in (("source", source), ("cpu", cpu)):
        if text is not None and not isinstance(text, (str, os.PathLike)):
            message = wrong_class(argument, "a str or a path", text)
            raise mistaken(TypeError, message, "", argument)
        if isinstance(text, str):
            check_encodable(argument, text)
    codes = device_codes(link)
    cuda = _source("source", name, source)
    if cpu is not None and _is_library(cpu):
        host = ("", "", os.fspath(Path(cpu).resolve()))
    else:
        host = (*_source("cpu source", name, cpu), "")
    if not codes and not cuda[0] and not any(host):
        message = f"'{name}' is declared without code"
        raise mistaken(ValueError, message, "source= or link= for devices, cpu= for the CPU")
    return rebuild_declared_function(
        name, signature_text(signature, "signature"), codes, cuda, host
    )


def rebuild_declared_function(
    name: str,
    signature: str,
    codes: tuple[tuple[str, bytes], ...],
    cuda: tuple[str, str],
    host: tuple[str, str, str],
) -> DeclaredFunction:
    """Declare a function from the contents of its files; called by pickles."""
    code = _core.DeclaredCode()
    code.cuda_source, code.cuda_label = cuda
    code.cpu_source, code.cpu_label, code.cpu_library = host
    native = _core.declare_function(name, signature, code, codes)
    if code.cpu_library:
        _check_library(name, code.cpu_library)
    return DeclaredFunction(native, (name, signature, codes, cuda, host))


def device_codes(link: DeviceCodes) -> tuple[tuple[str, bytes], ...]:
    """Read device code from files or bytes objects; return names and bytes.

    Raises:
        FileNotFoundError: a file does not exist.
        ValueError: a path is that of a source file.
    """
    if not isinstance(link, (str, bytes, os.PathLike, Iterable)):
        raise _no_code(link, -1)
    items = [link] if isinstance(link, (str, bytes, os.PathLike)) else list(link)
    for number, item in enumerate(items):
        if not isinstance(item, (str, bytes, os.PathLike)):
            raise _no_code(item, number)
    named = []
    for number, item in enumerate(items, 1):
        if isinstance(item, bytes):
            named.append((f"the linked code {number}", item))
        elif Path(item).suffix in _SOURCE_SUFFIXES:
            message = f"{Path(item).name} is a source, link= takes compiled code"
            hint = "declare_device takes CUDA C++ as source="
            raise mistaken(ValueError, message, hint, "link", number - 1)
        else:
            named.append((Path(item).name, Path(item).read_bytes()))
    return tuple(named)


def _no_code(item: object, number: int) -> Exception:
    message = wrong_class("link", "paths of compiled code, or bytes", item)
    return mistaken(TypeError, message, 'link="scale.ptx"', "link", number)


def _is_path(text: PathLike) -> bool:
    if isinstance(text, os.PathLike):
        return True
    return "\n" not in text and Path(text).suffix in _SOURCE_SUFFIXES


def _is_library(path: PathLike) -> bool:
    name = os.fspath(path)
    return "\n" not in name and (name.endswith(".so") or ".so." in Path(name).name)


def _source(what: str, name: str, source: PathLike | None) -> tuple[str, str]:
    """Return a source's text and its name in messages."""
    if source is None:
        return "", ""
    if _is_path(source):
        return Path(source).read_text(), os.fspath(source)
    return os.fspath(source), f"<{what} of '{name}'>"


def _check_library(name: str, path: str) -> None:
    try:
        library = ctypes.CDLL(path)
    except UnicodeDecodeError as error:  # ctypes decodes the linker's message with the path
        raise OSError(os.fsdecode(error.object)) from None
    if not hasattr(library, name):
        raise ValueError(
            f"{Path(path).name} has no function '{name}'\n  hint: C++ needs extern \"C\" before it"
        )
