"""`vectorize` and `guvectorize`: check the arguments and pass them to the C++ core."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Unpack, overload

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.exceptions import SignatureError
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import calling_frame, without_own_frames
from numpy_plugin._errors.wrong_call import check_encodable, mistaken
from numpy_plugin._frontend.external import device_codes
from numpy_plugin._frontend.options import (
    GeneralizedOptions,
    KernelOptions,
    argument_list,
    checked_options,
    declared_options,
    text_list,
)
from numpy_plugin._frontend.record_ufunc import (
    RecordData,
    RecordSignature,
    make_record_ufunc,
    record_signature,
    spread_operands,
)
from numpy_plugin._frontend.source import kept_function
from numpy_plugin._frontend.syntax import FunctionData, function_syntax
from numpy_plugin._frontend.types import (
    ArrayType,
    KernelType,
    RecordType,
    Signature,
    own_type,
    signature_text,
)
from numpy_plugin._frontend.ufunc_signature import describe_call

__all__ = ["guvectorize", "parameter_names", "vectorize"]

SignatureLike = str | Signature | KernelType | ArrayType | type | np.dtype[Any]
Signatures = SignatureLike | Sequence[SignatureLike]
CoreSignatures = Signatures | Sequence[SignatureLike | tuple[object, ...]]
# A declaration under the names of `_core.Declaration`: the contents of a pickled ufunc.
DeclarationData = dict[str, Any]

_Parameter = inspect.Parameter

# Other keywords of `vectorize` and `guvectorize`.
_OWN_ARGUMENTS = ("args", "body", "outs", "signatures")


def signature_list(signatures: Signatures | None) -> list[str] | None:
    """Return the texts of one or several signatures, or None."""
    signatures = own_type(signatures)
    if signatures is None:
        return None
    if isinstance(signatures, str) or not isinstance(signatures, Iterable):
        return [signature_text(signatures, "signatures")]
    return [signature_text(item, "signatures", i) for i, item in enumerate(signatures)]


def core_signature_list(signatures: CoreSignatures | None) -> list[str] | None:
    """Return the texts of a gufunc's signatures; a tuple of types is inputs, then outputs."""
    signatures = own_type(signatures)
    if signatures is None or isinstance(signatures, str) or not isinstance(signatures, Iterable):
        return signature_list(signatures)
    texts = [_core_signature_text(item, i) for i, item in enumerate(signatures)]
    is_one = isinstance(signatures, tuple) and any(isinstance(i, ArrayType) for i in signatures)
    return [f"void({', '.join(texts)})"] if is_one else texts


_LAYOUT_HINT = 'guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")'


def _only_layout(item: object) -> str:
    """Return the layout if it is the only argument."""
    if isinstance(item, str) and ("->" in item or item.lstrip().startswith("(")):
        return item
    raise mistaken(TypeError, "guvectorize needs a layout", _LAYOUT_HINT)


def _checked_layout(layout: object) -> str:
    if isinstance(layout, str):
        return layout
    raise mistaken(TypeError, wrong_class("layout", "a str", layout), _LAYOUT_HINT, "layout")


def _core_signature_text(item: object, number: int) -> str:
    text = signature_text(item, "signatures", number)
    return f"void{text}" if isinstance(item, tuple) else text


class Options:
    """Arguments of `vectorize`, `guvectorize` and `fuse` other than the kernel itself."""

    def __init__(
        self,
        signatures: list[str] | None,
        layout: str | None,
        *,
        body: str | None = None,
        args: str | Sequence[str] | None = None,
        outs: str | Sequence[str] | None = None,
        is_fused: bool = False,
        records: RecordSignature | None = None,
        **options: Any,
    ) -> None:
        self.signatures = signatures if records is None else [records.text]
        self.layout = layout if records is None else records.field_layout
        self.records = records
        self.body = body
        self.input_names = text_list("args", args, 'args="x, y"')
        self.output_names = text_list("outs", outs, 'outs="q, r"')
        self.linked = device_codes(options["link"])
        self.writable_args = argument_list(options["writable_args"])
        if records is not None:
            self.writable_args = spread_operands(self.writable_args, records.n_fields)
        self.is_fused = is_fused
        self.options = options

    def data(self, name: str, doc: str, **kernel: object) -> DeclarationData:
        """Return the whole declaration as plain data, under the names of the C++ side."""
        options = self.options
        return {
            **declared_options(options),
            "name": options["name"] or name,
            "doc": self.shown_doc(doc),
            "signatures": self.signatures,
            "layout": self.layout,
            "linked": self.linked,
            "writable_args": self.writable_args,
            "is_fused": self.is_fused,
            **kernel,
        }

    def shown_doc(self, doc: str) -> str:
        """Return the given docstring, or else the kernel's own."""
        given: str | None = self.options["doc"]
        return doc if given is None else given

    def check(self) -> None:
        """Report errors before there is a kernel, and issue warnings.

        Raises:
            SignatureError: a signature, the layout or a name is malformed, or they do not match.
            ValueError: an option has an invalid value.
        """
        names: dict[str, object] = {
            "input_names": self.input_names,
            "output_names": self.output_names,
        }
        if self.body is not None:
            names["body"] = self.body
        _core.check_declaration(_record(self.data("", "", **names)), self.options["identity"])

    def from_body(self, operand_types: Sequence[str] = (), **kernel: object) -> np.ufunc:
        """Make the ufunc from a C++ body.

        `operand_types` are the operands' dtypes and type placeholders, if there are any.
        """
        if operand_types:
            kernel["operand_types"] = list(operand_types)
        data = self.data(
            "body",
            "",
            body=self.body,
            input_names=self.input_names,
            output_names=self.output_names,
            **kernel,
        )
        return make_ufunc(data, self.options["identity"], _caller_attributes(data["name"]))

    def from_function(self, function: Callable[..., Any]) -> np.ufunc:
        """Make the ufunc from a Python function, or an object that keeps one."""
        function = kept_function(function)
        syntax = function_syntax(function, is_fused=self.is_fused)
        records = None
        if self.records is not None:
            records = self.records.data(parameter_names(syntax))
            syntax = self.records.syntax(syntax, function)
        attributes = {"__module__": function.__module__, "__qualname__": function.__qualname__}
        doc = function.__doc__ or ""
        ufunc = self.from_syntax(syntax, function.__name__, doc, attributes, records)
        ufunc.__dict__["__wrapped__"] = function
        signature = inspect.signature(function)
        returns = signature.return_annotation if self.layout is None else signature.empty
        describe_call(
            ufunc,
            self.shown_doc(doc),
            list(signature.parameters.values()),
            returns,
            by_position=self.records is not None,
        )
        return ufunc

    def from_syntax(
        self,
        syntax: FunctionData,
        name: str,
        doc: str,
        attributes: dict[str, str] | None = None,
        records: RecordData | None = None,
    ) -> np.ufunc:
        """Make the ufunc from a kernel's syntax, as `_syntax` returns it."""
        data = self.data(name, doc, syntax=syntax)
        if records is not None:
            data["records"] = records
        own = attributes if attributes is not None else _caller_attributes(data["name"])
        return make_ufunc(data, self.options["identity"], own)


def _caller_attributes(name: str) -> dict[str, str]:
    """Return the attributes of a ufunc without a function: it belongs to the caller's module."""
    module = calling_frame().f_globals.get("__name__", "__main__")
    return {"__module__": str(module), "__qualname__": name}


def _operands(data: DeclarationData) -> list[inspect.Parameter]:
    """Return the operands under their keyword names."""
    names: list[str] = data.get("input_names", [])
    if "records" in data:
        names = data["records"][-1]
    elif "syntax" in data:
        names = parameter_names(data["syntax"])
    # A C++ body may use Python keywords as names.
    return [_Parameter(name, _Parameter.POSITIONAL_ONLY) for name in names]


def parameter_names(syntax: Any) -> list[str]:
    """Return the names of a kernel's parameters."""
    return [parameter[1] for parameter in syntax[0][1]]


# Declaration data whose arguments have other names.
_ARGUMENTS = {"input_names": "args", "output_names": "outs"}


def _record(data: DeclarationData) -> _core.Declaration:
    record = _core.Declaration()
    for name, value in data.items():
        argument = _ARGUMENTS.get(name, name)
        if isinstance(value, str):
            check_encodable(argument, value)
        elif isinstance(value, list):
            for number, item in enumerate(value):
                if isinstance(item, str):
                    check_encodable(argument, item, number)
        setattr(record, name, value)
    return record


def make_ufunc(data: DeclarationData, identity: object, attributes: dict[str, str]) -> np.ufunc:
    """Compile and register a declaration; the ufunc keeps its declaration.

    Editors and `help` read `attributes`.
    """
    record = _record({name: data[name] for name in data if name != "records"})
    ufunc = _core.make_ufunc(record, identity)
    if "records" in data:
        ufunc = make_record_ufunc(ufunc, data["records"], record.doc)
    ufunc.__dict__.update(attributes)
    describe_call(ufunc, record.doc, _operands(data), by_position="records" in data)
    ufunc.__dict__["_made_from"] = (data, identity, attributes)
    return ufunc


def make_device_ufunc(
    data: DeclarationData, identity: object, images: list[tuple[str, str, int, bytes]]
) -> np.ufunc:
    """Register a declaration for device arrays alone, with device code of a built module."""
    return _core.make_device_ufunc(_record(data), identity, images)


def _check_kernel(options: Options, function: object) -> None:
    """Reject a kernel that is given twice or incompletely."""
    if options.body is None:
        for argument, names in (("args", options.input_names), ("outs", options.output_names)):
            if names:
                message = f"{argument} is for C++ bodies, and there is no body"
                hint = "leave it out, or give the kernel as body="
                raise mistaken(TypeError, message, hint, argument)
    elif options.records is not None:
        message = "a C++ body takes numbers, not records"
        raise mistaken(TypeError, message, "pass the fields, or write a Python function", "body")
    elif function is not None:
        message = "a kernel is a function or a body, found both"
        raise mistaken(TypeError, message, "leave one of them out", "body")
    elif not isinstance(options.body, str):
        message = wrong_class("body", "a str", options.body)
        raise mistaken(TypeError, message, 'body="return x;"', "body")
    elif not options.body.strip():
        raise mistaken(SignatureError, "body is empty", 'body="return x;"', "body")


def make(options: Options, function: object) -> Any:
    """Return the ufunc if the kernel is already given, else a decorator for it."""
    _check_kernel(options, function)
    options.check()
    if options.body is not None:
        return options.from_body()
    if function is not None:
        return options.from_function(function)  # type: ignore[arg-type]

    @without_own_frames
    def decorator(function: Callable[..., Any]) -> np.ufunc:
        return options.from_function(function)

    return decorator


@overload
def vectorize(signatures: Callable[..., Any], /) -> np.ufunc: ...
@overload
def vectorize(
    signatures: Signatures | None = None,
    *,
    body: str,
    args: str | Sequence[str] | None = None,
    outs: str | Sequence[str] | None = None,
    **options: Unpack[KernelOptions],
) -> np.ufunc: ...
@overload
def vectorize(
    signatures: Signatures | None = None,
    **options: Unpack[KernelOptions],
) -> Callable[[Callable[..., Any]], np.ufunc]: ...
@without_own_frames
def vectorize(
    signatures: Any = None,
    *,
    body: str | None = None,
    args: str | Sequence[str] | None = None,
    outs: str | Sequence[str] | None = None,
    **options: Unpack[KernelOptions],
) -> Any:
    """Make a NumPy ufunc from a scalar function.

    A decorator factory (`@vectorize([...])`), a bare decorator (`@vectorize`) and, with `body=`, a
    function that returns the ufunc.

    Args:
        signatures: a type signature or a sequence of them, in any spelling: `"float32(float32)"`,
            `"ff->f"`, `npp.float32(npp.float32)`, or a bare type for all operands and the result.
            None: compiled for the types of each call, on first use.
        body: C++ source, with `return` for one result or an assignment to each name in `outs`.
        args: the operands' names in `body`.
        outs: the results' names in `body`, if it assigns them.
        name: the ufunc's `__name__`; by default the function's name.
        target: where calls with host operands run: "auto", "cpu", "parallel" (all cores), "cuda".
        identity: for `reduce`: a number, None or "reorderable", as in NumPy.
        doc: the ufunc's docstring; by default the function's docstring.
        math: "vector" (the vector library, up to 4 ulp), "libm" (the scalar library) or
            "reproducible" (the same bits on every target).
        fastmath: liberties that compilers may take with floating-point arithmetic: True for all,
            or a set of LLVM's names, such as `{"contract", "reassoc"}`.
        cache: keep compiled code on disk.
        preamble: C++ source placed before the kernels, for helpers that `body` calls.
        link: compiled device code for functions that the preamble declares: PTX, cubins, objects,
            LTO-IR, fatbins, static libraries, as bytes or paths. It is not linked on the CPU.
        **options: Numba's `nopython` is accepted and has no effect.

    Returns:
        An object for which `type(f) is np.ufunc`, or a decorator that returns one.

    Raises:
        SignatureError: a signature is malformed; the message underlines the place.
        KernelError: the function uses unsupported features; the message shows every place.
        CompilerError: there is no compiler, or it rejected the body.
        TypeError: an unknown keyword, or operands that do not match.
    """
    chosen = checked_options("vectorize", KernelOptions, {**options}, _OWN_ARGUMENTS)
    function = signatures if _is_kernel_function(signatures) else None
    records = None if function is not None else record_signature(signatures, None)
    declared = Options(
        None if function is not None or records is not None else signature_list(signatures),
        None,
        records=records,
        body=body,
        args=args,
        outs=outs,
        **chosen,
    )
    return make(declared, function)


@overload
def guvectorize(
    signatures: CoreSignatures | None = None,
    layout: str | None = None,
    *,
    body: str,
    args: str | Sequence[str] | None = None,
    outs: str | Sequence[str] | None = None,
    **options: Unpack[GeneralizedOptions],
) -> np.ufunc: ...
@overload
def guvectorize(
    signatures: CoreSignatures | None = None,
    layout: str | None = None,
    **options: Unpack[GeneralizedOptions],
) -> Callable[[Callable[..., Any]], np.ufunc]: ...
@without_own_frames
def guvectorize(
    signatures: CoreSignatures | None = None,
    layout: str | None = None,
    *,
    body: str | None = None,
    args: str | Sequence[str] | None = None,
    outs: str | Sequence[str] | None = None,
    **options: Unpack[GeneralizedOptions],
) -> Any:
    """Make a generalized NumPy ufunc from a function over core arrays.

    Args:
        signatures: as for `vectorize`, with array types: `"void(float64[:], float64[:,:])"` lists
            inputs, then outputs, like the tuple `(float64[:], float64[:,:])`; NumPy's `"dd->d"`
            works too. None, or only a layout: compiled for the input types of each call; an output
            then has the type of the values that the kernel stores in it.
        layout: the core dimensions in NumPy's notation: `"(m,k),(k,n)->(m,n)"`, fixed sizes
            `"(3)->(3)"`, optional ones `"(n?,k),(k)->(n?)"`.
        body: as for `vectorize`; index operands with core dimensions as `a(i, j)`.
        args: as for `vectorize`.
        outs: as for `vectorize`.
        name: as for `vectorize`.
        target: as for `vectorize`.
        identity: as for `vectorize`.
        doc: as for `vectorize`.
        math: as for `vectorize`; loops over core dimensions use the scalar functions.
        fastmath: as for `vectorize`.
        cache: as for `vectorize`.
        preamble: as for `vectorize`.
        link: as for `vectorize`.
        writable_args: inputs that the kernel changes in place, by index or by name, as in Numba;
            the arguments must be writable arrays. By default none, and for a layout without "->"
            those whose elements the function assigns.
        **options: `nopython` as for `vectorize`.

    Returns:
        An object for which `type(f) is np.ufunc`, or a decorator that returns one.

    Raises:
        SignatureError: a signature or the layout is malformed, or they do not match.
        KernelError: the function uses unsupported features; the message shows every place.
        CompilerError: there is no compiler, or it rejected the body.
        TypeError: an unknown keyword.
    """
    chosen = checked_options(
        "guvectorize", GeneralizedOptions, {**options}, (*_OWN_ARGUMENTS, "layout")
    )
    if layout is None:
        signatures, layout = None, _only_layout(signatures)
    layout = _checked_layout(layout)
    records = record_signature(signatures, layout)
    declared = Options(
        None if records is not None else core_signature_list(signatures) or None,
        layout,
        records=records,
        body=body,
        args=args,
        outs=outs,
        **chosen,
    )
    return make(declared, None)


def _is_kernel_function(item: object) -> bool:
    """Whether `@vectorize` decorates a function directly (types are callable, too)."""
    kinds = (type, KernelType, RecordType, np.dtype)
    return callable(item) and not isinstance(own_type(item), kinds)
