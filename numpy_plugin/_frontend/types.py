"""Type objects: `float32(float32, float32)` is a signature, `float32(x)` in a kernel a cast."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.exceptions import SignatureError
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken

__all__ = ["ArrayType", "KernelType", "Signature", "own_type", "signature_text"]


class Signature(str):
    """A type signature made from type objects; its str is the signature's text."""

    __slots__ = ()


class ArrayType:
    """An operand with core dimensions: `float64[:]`, `float64[:, :]`."""

    def __init__(self, name: str, n_dimensions: int) -> None:
        """Keep the element type's name and the number of dimensions."""
        self.name = name
        self.n_dimensions = n_dimensions

    def __repr__(self) -> str:
        """Return the type's spelling in signatures."""
        return f"{self.name}[{','.join(':' * self.n_dimensions)}]"


class KernelType:
    """A dtype that kernels can use.

    Call it with types to make a `Signature` with this result type, or with a number to make a NumPy
    scalar; index it with colons to make an `ArrayType`.
    """

    def __init__(self, name: str) -> None:
        """Keep the dtype's name."""
        self.name = name

    @property
    @without_own_frames
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of this name; bfloat16 needs the package ml_dtypes."""
        if self.name == "bfloat16":
            import ml_dtypes

            dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
            return dtype
        return np.dtype(self.name)

    @without_own_frames
    def __call__(self, *operands: Any) -> Any:
        """Make a signature from types, or a NumPy scalar from one number."""
        operands = own_type(operands)
        if len(operands) == 1 and not is_type(operands[0]):
            return self.dtype.type(operands[0])
        return Signature(f"{self.name}({', '.join(signature_text(item) for item in operands)})")

    @without_own_frames
    def __getitem__(self, dimensions: slice | tuple[slice, ...]) -> ArrayType:
        """Make the type of an operand with core dimensions, one colon per dimension."""
        colons = dimensions if isinstance(dimensions, tuple) else (dimensions,)
        if not all(isinstance(colon, slice) for colon in colons):
            raise SignatureError(
                f"{self.name}[...] takes colons, one per dimension, found {dimensions!r}"
            )
        return ArrayType(self.name, len(colons))

    def __repr__(self) -> str:
        """Return the dtype's name."""
        return self.name


def own_type(item: Any) -> Any:
    """Return the type or signature that an object of Numba's means; others are returned unchanged.

    The items of lists and tuples are converted, too.
    """
    if type(item) in (list, tuple):
        return type(item)(map(own_type, item))
    if not type(item).__module__.startswith(("numba.core.types", "numba.core.typing")):
        return item
    if hasattr(item, "return_type"):
        return own_type(item.return_type)(*map(own_type, item.args))
    if hasattr(item, "ndim"):
        return ArrayType(item.dtype.name, item.ndim)
    return void if item.name == "none" else KernelType(item.name)


def is_type(item: object) -> bool:
    """Whether an object is a type in a signature."""
    return isinstance(item, (KernelType, ArrayType, np.dtype, str)) or _is_scalar_type(item)


_EXAMPLE = '"float32(float32, float32)", or npp.float32(npp.float32, npp.float32)'


def signature_text(item: object, argument: str = "", number: int = -1, hint: str = _EXAMPLE) -> str:
    """Return the text of a signature, or of one of its types, given in any form.

    `argument` is the name of the argument, `number` its index among several; `hint` is a suggested
    correction.

    Raises:
        TypeError: the object is neither a type nor a signature.
    """
    if isinstance(item, str):
        return item
    if isinstance(item, (KernelType, ArrayType)):
        return repr(item)
    if isinstance(item, np.dtype) or _is_scalar_type(item):
        dtype = np.dtype(item)
        return _core.dtype_name(dtype.num) or dtype.name
    if isinstance(item, tuple):
        return f"({', '.join(signature_text(part, argument, number, hint) for part in item)})"
    raise mistaken(
        TypeError,
        wrong_class("a signature", "a str or made of types", item),
        hint,
        argument,
        number,
    )


def _is_scalar_type(item: object) -> TypeGuard[type]:
    return isinstance(item, type) and (
        issubclass(item, np.generic) or item in (bool, int, float, complex)
    )


bool_ = KernelType("bool")
int8 = KernelType("int8")
int16 = KernelType("int16")
int32 = KernelType("int32")
int64 = KernelType("int64")
uint8 = KernelType("uint8")
uint16 = KernelType("uint16")
uint32 = KernelType("uint32")
uint64 = KernelType("uint64")
float16 = KernelType("float16")
bfloat16 = KernelType("bfloat16")
float32 = KernelType("float32")
float64 = KernelType("float64")
complex64 = KernelType("complex64")
complex128 = KernelType("complex128")
intc = int32
intp = int64
void = KernelType("void")
