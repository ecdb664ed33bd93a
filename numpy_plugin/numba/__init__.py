"""The names that programs written for Numba import.

`from numba import vectorize, float32` becomes `from numpy_plugin.numba import vectorize, float32`;
`njit` and the rest are Numba's own, if it is installed. What is made here are this package's
ufuncs and kernels.
"""

import contextlib
import functools
import importlib
from collections.abc import Callable
from typing import Any

from numpy_plugin._errors.exceptions import PerformanceWarning as NumbaPerformanceWarning
from numpy_plugin._frontend.declare import guvectorize, vectorize
from numpy_plugin._frontend.types import ArrayType, KernelType
from numpy_plugin._public_names import public_names
from numpy_plugin.numba._finder import put_before_numba_cuda

put_before_numba_cuda()

from numpy_plugin.numba import config, cuda, types  # noqa: E402
from numpy_plugin.numba.types import *  # noqa: E402, F403
from numpy_plugin.numba.types import __all__ as _type_names  # noqa: E402

__all__ = ["NumbaPerformanceWarning", "config", "cuda", "guvectorize", "types", "vectorize"]
__all__ += [name for name in _type_names if name != "Array"]

__dir__ = public_names(dict(globals()))
# `import *` asks __getattr__, which adds Numba's names.
_own_names = __all__
_TYPES = (ArrayType, KernelType)
del __all__


def __getattr__(name: str) -> Any:
    """Return `njit` and other names that stay Numba's, from Numba; `__all__` has them, too.

    `prange` is `range` without Numba, as it is in kernels.

    Raises:
        AttributeError: Numba has no such name.
        ImportError: Numba is not installed.
    """
    if name == "__all__":
        with contextlib.suppress(ImportError):
            return sorted({*_own_names, *importlib.import_module("numba").__all__})
        return _own_names
    if name.startswith("_") and name != "__version__":
        raise AttributeError(f"{__name__} has no '{name}'")
    try:
        numba = importlib.import_module("numba")
    except ImportError as error:
        if name == "prange":
            return range
        hint = "pip install numba, or leave the name out"
        message = f"{__name__} has no '{name}': it may be Numba's, which cannot be imported"
        raise ImportError(f"{message}\n  hint: {hint}") from error
    if not hasattr(numba, name):
        raise AttributeError(f"neither {__name__} nor Numba has '{name}'")
    found = getattr(numba, name)
    return _taking_types(found) if name in ("jit", "njit") else found


def _taking_types(declare: Callable[..., Any]) -> Callable[..., Any]:
    """Return Numba's decorator, which takes signatures of these types as their texts."""
    sigutils = importlib.import_module("numba.core.sigutils")
    signature = importlib.import_module("numba.core.typing").Signature

    def numbas_type(given: Any) -> Any:
        if not isinstance(given, _TYPES):
            return given
        (found,), _ = sigutils.normalize_signature(f"({given},)")
        return found

    def as_text(given: Any) -> Any:
        if isinstance(given, list):
            return [as_text(each) for each in given]
        if isinstance(given, signature):  # numba.typeof(...)(float64)
            return given.return_type(*map(numbas_type, given.args))
        if not isinstance(given, tuple) or not all(isinstance(each, _TYPES) for each in given):
            return str(given) if isinstance(given, _TYPES) else given
        return f"({', '.join(map(str, given))},)"

    @functools.wraps(declare)
    def declared(signature_or_function: Any = None, *args: Any, **options: Any) -> Any:
        return declare(as_text(signature_or_function), *args, **options)

    return declared
