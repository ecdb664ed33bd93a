"""Type objects: `float32(float32, float32)` is a signature, `float32(x)` in a kernel a cast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.exceptions import SignatureError
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.records import field_form, field_texts, field_types

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "ArrayType",
    "KernelType",
    "RecordType",
    "Signature",
    "from_dtype",
    "own_type",
    "record_dtype",
    "record_operands",
    "signature_text",
]


class Signature(str):
    """A type signature made from type objects; its str is the signature's text.

    Where operands are records, the text has their fields, and `operands` the types themselves.
    """

    __slots__ = ("n_inputs", "operands")

    def __new__(cls, text: str, inputs: tuple[Any, ...], results: tuple[Any, ...]) -> Signature:
        """Keep the types of the operands, inputs first."""
        made = super().__new__(cls, text)
        made.operands = tuple(map(record_type, (*inputs, *results)))
        made.n_inputs = len(inputs)
        return made

    operands: tuple[Any, ...]
    n_inputs: int

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the text and the types."""
        n = self.n_inputs
        return (Signature, (str(self), self.operands[:n], self.operands[n:]))


def record_operands(signature: object) -> tuple[Any, ...]:
    """Return the types of a signature's operands if one of them is of records, else ()."""
    operands = signature.operands if isinstance(signature, Signature) else ()
    return operands if any(isinstance(item, RecordType) for item in operands) else ()


def record_type(item: Any) -> Any:
    """Return the type of records that a structured dtype means; others unchanged."""
    is_record = isinstance(item, np.dtype) and item.names is not None
    return RecordType(item) if is_record else item


def from_dtype(dtype: npt.DTypeLike) -> KernelType | RecordType:
    """Return the type of signatures for a dtype; of records for a structured one.

    Index it with colons for arrays: `from_dtype(dtype)[:]`.

    Args:
        dtype: NumPy's dtype, or what NumPy makes one from.

    Raises:
        TypeError: kernels cannot use the dtype or one of its fields.
    """
    found = np.dtype(dtype)
    if found.names is not None:
        return RecordType(found)
    name = _core.dtype_name(found)
    if not name:
        raise TypeError(
            f"kernels cannot use the dtype {found}; expected numbers or records of them"
        )
    return KernelType(name)


class ArrayType:
    """An operand with core dimensions: `float64[:]`, `float64[:, :]`."""

    def __init__(self, name: str, n_dimensions: int) -> None:
        """Keep the element type's name and the number of dimensions."""
        self.name = name
        self.n_dimensions = n_dimensions

    def __repr__(self) -> str:
        """Return the type's spelling in signatures."""
        return f"{self.name}[{','.join(':' * self.n_dimensions)}]"


class RecordType:
    """The type of records in signatures; index it with colons for arrays of them."""

    def __init__(self, dtype: np.dtype[Any], n_dimensions: int = 0) -> None:
        """Keep the structured dtype and the number of dimensions.

        Raises:
            TypeError: kernels cannot use one of the fields.
        """
        field_types(dtype)
        self.dtype = dtype
        self.n_dimensions = n_dimensions

    def __getitem__(self, dimensions: slice | tuple[slice, ...]) -> RecordType:
        """Make the type of an array of records, one colon per dimension."""
        return RecordType(self.dtype, len(dimensions) if isinstance(dimensions, tuple) else 1)

    def __call__(self, *operands: Any) -> Any:
        """Make a signature whose results are the fields of these records."""
        given = own_type(operands)
        texts = ", ".join(signature_text(item) for item in given)
        return Signature(f"{self.text()}({texts})", given, (self,))

    def __repr__(self) -> str:
        """Return the dtype, and the dimensions."""
        colons = ",".join(":" * self.n_dimensions)
        return f"Record({self.dtype})" + (f"[{colons}]" if colons else "")

    def text(self, n_dimensions: int | None = None) -> str:
        """Return the types of the fields, each as an operand of its own."""
        n = self.n_dimensions if n_dimensions is None else n_dimensions
        return ", ".join(field_texts(self.dtype, n))

    def form(self, n_dimensions: int) -> tuple[object, ...]:
        """Return the names of the fields, and of those of nested records."""
        return field_form(self.dtype, n_dimensions)


class KernelType:
    """A dtype that kernels can use.

    Call it with types to make a `Signature` with this result type, or with a number to make a NumPy
    scalar; call `datetime64` and `timedelta64` with a unit to make the type that has it. Index it
    with colons to make an `ArrayType`.
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
        if self.name in _TIME_NAMES and len(operands) == 1 and isinstance(operands[0], str):
            return from_dtype(f"{self.name}[{operands[0]}]")
        if len(operands) == 1 and not is_type(operands[0]):
            return self.dtype.type(operands[0])
        text = f"{self.name}({', '.join(signature_text(item) for item in operands)})"
        return Signature(text, operands, () if self.name == "void" else (self,))

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


# Packages of the classes of Numba's types and signatures.
_NUMBAS_TYPES = ("numba.core.types", "numba.core.typing", "numba.np.types")


def record_dtype(value: object) -> np.dtype[Any] | None:
    """Return the structured dtype that a dtype or a type of signatures is; None for others."""
    dtype = value.dtype if isinstance(value, RecordType) else value
    return dtype if isinstance(dtype, np.dtype) and dtype.names else None


def own_type(item: Any) -> Any:
    """Return the type or signature that an object of Numba's means; others are returned unchanged.

    The items of lists and tuples are converted, too.
    """
    if type(item) in (list, tuple):
        return type(item)(map(own_type, item))
    if not type(item).__module__.startswith(_NUMBAS_TYPES):
        return item
    if type(item).__name__ == "Record":
        return RecordType(np.dtype(item.dtype))
    if hasattr(item, "return_type"):
        return own_type(item.return_type)(*map(own_type, item.args))
    if hasattr(item, "ndim"):
        inner = own_type(item.dtype)
        if isinstance(inner, RecordType):
            return RecordType(inner.dtype, item.ndim)
        return ArrayType(inner.name, item.ndim)
    return void if item.name == "none" else KernelType(item.name.removesuffix("[]"))


def is_type(item: object) -> bool:
    """Whether an object is a type in a signature."""
    kinds = (KernelType, ArrayType, RecordType, np.dtype, str)
    return isinstance(item, kinds) or _is_scalar_type(item)


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
    item = record_type(item)
    if isinstance(item, RecordType):
        return item.text()
    if isinstance(item, np.dtype) or _is_scalar_type(item):
        dtype = np.dtype(item)
        return _core.dtype_name(dtype) or dtype.name
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


_TIME_NAMES = ("datetime64", "timedelta64")

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
datetime64 = KernelType("datetime64")
timedelta64 = KernelType("timedelta64")
intc = int32
intp = int64
void = KernelType("void")
