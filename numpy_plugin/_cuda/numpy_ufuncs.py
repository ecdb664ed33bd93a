"""NumPy's own ufuncs on device arrays: a kernel for each.

NumPy selects the loop of a call; the kernel for that loop's types is compiled on first use. A ufunc
that kernels can't call works on host arrays only.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np

from numpy_plugin import _core
from numpy_plugin._core import as_device_array, update_at, use_cublas
from numpy_plugin._cuda.arrays.numpys_errors import call_or_raise_numpys_error
from numpy_plugin._cuda.record_ufuncs import call_record_ufunc
from numpy_plugin._errors.exceptions import KernelWarning
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.bindings import bind_ufunc
from numpy_plugin._frontend.built_module import device_ufunc
from numpy_plugin._frontend.declare import Options, guvectorize
from numpy_plugin._frontend.options import LoopOptions, checked_options
from numpy_plugin._frontend.syntax import text_syntax

__all__ = ["call_numpys_ufunc", "device_kernel", "host_only_error", "reduction_kernel"]


def _matmul(a: Any, b: Any, out: Any) -> Any:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


def _matvec(a: Any, b: Any, out: Any) -> Any:
    for i in range(out.shape[0]):
        total = 0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k]
        out[i] = total


def _vecdot(a: Any, b: Any, out: Any) -> Any:
    total = 0
    for k in range(a.shape[0]):
        total += np.conjugate(a[k]) * b[k]
    out[0] = total


def _vecmat(a: Any, b: Any, out: Any) -> Any:
    for j in range(out.shape[0]):
        total = 0
        for k in range(a.shape[0]):
            total += np.conjugate(a[k]) * b[k, j]
        out[j] = total


#: The kernels of ufuncs with core dimensions, and the types of their loops.
_CORE_KERNELS: dict[str, Callable[..., Any]] = {
    "matmul": _matmul,
    "matvec": _matvec,
    "vecdot": _vecdot,
    "vecmat": _vecmat,
}
_CORE_TYPES = [f"{type_}{type_}->{type_}" for type_ in "bBhHiIlLefdFD"]

#: Ufuncs whose operands NumPy casts to bool, regardless of `casting`: only their truth matters.
_OF_TRUTH = {"logical_and", "logical_or", "logical_xor", "logical_not"}

_REDUCTIONS = ("reduce", "accumulate", "reduceat")

#: A dtype, or for a plain number its type.
OperandType = Any
Signature = tuple[np.dtype[Any] | None, ...]
_PLAIN_NUMBERS = (int, float, complex)


class _DeviceUfunc:
    """A NumPy ufunc and the ufunc of this package that computes the same on devices."""

    def __init__(self, numpys: np.ufunc, ours: np.ufunc) -> None:
        self.numpys = numpys
        self.ours = ours
        self.signatures: dict[tuple[OperandType, ...], Signature | None] = {}
        self.methods: dict[str, Callable[..., Any]] = {
            **{name: functools.partial(self.reduce, name) for name in _REDUCTIONS},
            "outer": self.outer,
            "at": self.at,
        }

    def __call__(self, *inputs: object, **named: Any) -> Any:
        if self.numpys.__name__ in _OF_TRUTH:
            inputs = tuple(bool(x) if type(x) in _PLAIN_NUMBERS else x for x in inputs)
        return self.ours(*inputs, **self.with_signature(map(_type_of, inputs), named))

    def outer(self, *inputs: Any, **named: Any) -> Any:
        """Call `outer` of our ufunc: numbers are arrays of their own dtype, as in NumPy's."""
        return self.ours.outer(*inputs, **self.with_signature(map(_type_of_array, inputs), named))

    def with_signature(
        self, operand_types: Iterable[OperandType], named: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the keywords of a call of our ufunc that computes in NumPy's types."""
        types = tuple(operand_types)
        if "dtype" in named or "signature" in named:
            signature = self.find_signature(types, _named_signature(self.numpys, named))
        elif types in self.signatures:
            signature = self.signatures[types]
        else:
            signature = self.signatures[types] = self.find_signature(types, None)
        if signature is not None:
            named["signature"] = signature
        return named

    def reduce(self, name: str, /, *operands: object, dtype: Any = None, **named: Any) -> Any:
        """Call a reducing method of our ufunc in the dtype in which NumPy's ufunc reduces."""
        out = named.get("out")
        of_out = None if out is None else _type_of(out)
        if not isinstance(of_out, np.dtype):  # none, or a number: our ufunc refuses it
            of_out = None
        first = self.reduction_dtype(name, of_out, operands[0], dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelWarning)
            if first.kind in "mM":  # whose units no `dtype` can name
                return getattr(self.reducer, name)(*operands, **named)
            return getattr(self.reducer, name)(*operands, dtype=first, **named)

    def reduction_dtype(self, name: str, of_out: Any, operand: object, dtype: Any) -> np.dtype[Any]:
        """Return the dtype in which NumPy's ufunc reduces."""
        types = (of_out, _type_of(operand), None)
        wanted = {} if dtype is None else {"signature": (np.dtype(dtype), None, None)}
        first, second, _ = self.numpys.resolve_dtypes(
            types, reduction=True, casting="unsafe", **wanted
        )  # our ufunc checks the casts
        if first != second:
            refuse(self.numpys, name, (second, second))
        return first

    @functools.cached_property
    def reducer(self) -> np.ufunc:
        """The ufunc for reductions: one of truth reduces bools, to which it casts any operand."""
        name = self.numpys.__name__
        if name not in _OF_TRUTH:
            return self.ours
        return _calling(self.numpys, ["bool(bool, bool)"], self.numpys.identity)

    def at(self, array: Any, indices: Any, *values: Any) -> None:
        """Update elements in the dtypes that NumPy's ufunc does."""
        types = tuple(_type_of_array(operand) for operand in (array, *values))
        signature = self.find_signature(types, None)
        if signature is not None:  # NumPy checks the casts
            first, *others = (np.empty(0, dtype) for dtype in types)
            self.numpys.at(first, np.empty(0, np.intp), *others)
        update_at(self.ours, (array, indices, *values), signature)

    def find_signature(self, types: tuple[OperandType, ...], wanted: Any) -> Signature | None:
        """Return the `signature` that selects NumPy's types in our ufunc; None if none is needed.

        The call itself checks the casts of the operands.
        """
        no_outputs = (None,) * self.numpys.nout
        named = {} if wanted is None else {"signature": wanted}
        resolved = self.numpys.resolve_dtypes(types + no_outputs, casting="unsafe", **named)
        if self.numpys.__name__ in _OF_TRUTH and set(resolved) == {np.dtype(bool)}:
            resolved = (*types, np.dtype(bool))  # the kernel tests the uncast operands
            wanted = None
        signature = resolved[: self.numpys.nin] + no_outputs
        if any(dtype.kind in "mM" for dtype in resolved):
            self.check_times(types, resolved)
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", KernelWarning)  # NumPy intends what they warn about
                if (
                    wanted is None
                    and _core.resolve_dtypes(self.ours, types + no_outputs) == resolved
                ):
                    return None
                _core.resolve_dtypes(self.ours, signature, signature=signature)
        except TypeError:
            refuse(self.numpys, "__call__", resolved)
        return signature

    def check_times(self, types: tuple[OperandType, ...], resolved: Signature) -> None:
        """Check that our ufunc has NumPy's results for dates, which no `signature` can name."""
        n_inputs, n_outputs = self.numpys.nin, self.numpys.nout
        try:
            ours = _core.resolve_dtypes(self.ours, types + (None,) * n_outputs)
        except TypeError:
            ours = ()
        if ours[n_inputs:] != resolved[n_inputs:]:
            refuse(self.numpys, "__call__", types)


@without_own_frames
def call_numpys_ufunc(
    ufunc: np.ufunc, method: str, inputs: tuple[object, ...], named: dict[str, Any]
) -> Any:
    """Call a NumPy ufunc, one of records or one of a built module, on device arrays."""
    if "_kernel" in ufunc.__dict__:
        if method != "__call__":
            refuse(ufunc, method)
        return call_record_ufunc(ufunc, inputs, **named)
    built = device_ufunc(ufunc)
    if built is not None:
        return (built if method == "__call__" else getattr(built, method))(*inputs, **named)
    ours = _device_ufunc(ufunc)
    if ours is None:
        refuse(ufunc, method)
    if method == "__call__":
        return ours(*inputs, **named)
    if len(named.get("out", ())) == 1:  # NumPy makes a tuple of any `out`
        named["out"] = named["out"][0]
    return call_or_raise_numpys_error(ours.methods[method], getattr(ufunc, method), inputs, named)


@without_own_frames
def refuse(ufunc: np.ufunc, method: str, dtypes: tuple[np.dtype[Any], ...] = ()) -> NoReturn:
    """Raise the TypeError for a ufunc that works on host arrays only."""
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    of_dtypes = f" of {', '.join(map(str, dtypes[: ufunc.nin]))}" if dtypes else ""
    raise host_only_error(name, of_dtypes) from None


def host_only_error(name: str, of_dtypes: str = "") -> TypeError:
    """Return the error for functions that work on host arrays only."""
    return TypeError(
        f"'{name}'{of_dtypes} works on host arrays only; call copy_to_host() on the device arrays, "
        "and numpy_plugin.cuda.to_device() on the result"
    )


def device_kernel(ufunc: np.ufunc) -> np.ufunc | None:
    """Return the ufunc of this package that computes what one of NumPy's does, if there is one.

    For a ufunc of records it is the one of their fields, for one of a built module its declaration.
    """
    if "_kernel" in ufunc.__dict__:
        kernel: np.ufunc = ufunc.__dict__["_kernel"]
        return kernel
    built = device_ufunc(ufunc)
    if built is not None:
        return built
    found = _device_ufunc(ufunc)
    return None if found is None else found.ours


def reduction_kernel(
    ufunc: np.ufunc, method: str, operand: object, dtype: Any
) -> tuple[np.ufunc, np.dtype[Any]]:
    """Return the ufunc of this package, and the dtype, in which one of NumPy's reduces."""
    found = _device_ufunc(ufunc)
    assert found is not None, ufunc
    return found.reducer, found.reduction_dtype(method, None, operand, dtype)


def _device_ufunc(ufunc: np.ufunc) -> _DeviceUfunc | None:
    name = ufunc.__name__
    return _device_ufunc_of(name) if getattr(np, name, None) is ufunc else None


@functools.cache
def _device_ufunc_of(name: str) -> _DeviceUfunc | None:
    ufunc = getattr(np, name)
    if name not in _CORE_KERNELS:
        is_known = _core.kernels_can_call(f"numpy.{name}")
        return _DeviceUfunc(ufunc, _calling(ufunc, None, _identity(ufunc))) if is_known else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelWarning)
        make = guvectorize(_CORE_TYPES, ufunc.signature or "", name=name, target="cpu")
        ours = make(_CORE_KERNELS[name])
    if name == "matmul":
        use_cublas(ours)
    return _DeviceUfunc(ufunc, ours)


def _calling(ufunc: np.ufunc, signatures: list[str] | None, identity: Any) -> np.ufunc:
    """Return the ufunc of a kernel that calls one of NumPy's."""
    name = ufunc.__name__
    operands = ["x", "y"][: ufunc.nin]
    line = f"return {name}({', '.join(operands)})"
    syntax = text_syntax(name, operands, [line], {name: bind_ufunc(ufunc)})
    chosen = checked_options("vectorize", LoopOptions, {"target": "cpu", "identity": identity})
    own = {"__module__": __name__, "__qualname__": name}
    return Options(signatures, None, **chosen).from_syntax(syntax, name, "", own)


def _identity(ufunc: np.ufunc) -> Any:
    """Return the `identity=` with which our ufunc reduces as NumPy's does."""
    if ufunc.identity is not None or ufunc.nin != 2 or ufunc.nout != 1:
        return ufunc.identity
    try:
        ufunc.reduce(np.empty((0, 1, 1), ufunc.types[0][0]), axis=(1, 2))
    except (TypeError, ValueError):  # several axes need a reorderable ufunc
        return None
    return "reorderable"


def _type_of(operand: Any) -> OperandType:
    if type(operand) in _PLAIN_NUMBERS:
        return type(operand)
    dtype = getattr(operand, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype
    if hasattr(operand, "__dlpack_device__"):
        return as_device_array(operand, None).dtype
    return np.asarray(operand).dtype


def _type_of_array(operand: Any) -> OperandType:
    return np.asarray(operand).dtype if type(operand) in _PLAIN_NUMBERS else _type_of(operand)


def _named_signature(ufunc: np.ufunc, named: dict[str, Any]) -> Any:
    """Remove `signature` and `dtype`, the outputs' type, from a call and return a signature."""
    signature = named.pop("signature", None)
    dtype = named.pop("dtype", None)
    if dtype is None:
        return signature
    if signature is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    return (None,) * ufunc.nin + (dtype,) * ufunc.nout
