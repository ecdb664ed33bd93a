"""`ElementwiseKernel`: CuPy's and PyCUDA's elementwise kernels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, get_overloads, overload

import numpy as np

from numpy_plugin import _core
from numpy_plugin._cuda.spaces import Space, space_of
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.declare import Options
from numpy_plugin._kernels.indexed import BLOCK_SIZE, Operation, index_shape, prepare, run
from numpy_plugin._kernels.options import bound, check_text, read_options, ufunc_options
from numpy_plugin._kernels.parameters import Parameter, check_names, parse, wrong_count

__all__ = ["ElementwiseKernel"]


class _Form(NamedTuple):
    """A declaration, and how calls treat it."""

    operation: Operation
    is_callable: bool
    reduce_dims: bool
    no_return: bool
    return_tuple: bool


class ElementwiseKernel:
    """A kernel that runs once for each element, as CuPy and PyCUDA declare it.

    `ElementwiseKernel("T x, T y", "T z", "z = x - y")` returns a NumPy ufunc. Kernels that are no
    ufuncs are objects of this class, which are called with the same arguments: those with `raw`
    parameters, those that use the index `i`, that read an output, or whose output's type only the
    output itself tells. PyCUDA's `ElementwiseKernel("float a, float *x", "x[i] *= a")` changes its
    arrays in place.

    Attributes:
        name: the kernel's name.
        nin: the number of inputs.
        nout: the number of outputs.
        nargs: the number of parameters.
    """

    __module__ = "numpy_plugin"

    @overload
    def __new__(
        cls,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        loop_prep: str = "",
        after_loop: str = "",
        options: Iterable[str] = (),
    ) -> Any: ...
    @overload
    def __new__(
        cls,
        arguments: str,
        operation: str,
        name: str = "kernel",
        keep: bool = False,
        options: Iterable[str] = (),
        *,
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
    ) -> Any: ...
    @without_own_frames
    def __new__(cls, *declared: Any, **keywords: Any) -> Any:
        """Make a kernel; it is compiled for the types of each call, or at once for fixed types.

        Args:
            *declared: CuPy's `in_params`, `out_params`, `operation`, `name`, `reduce_dims`,
                `preamble`, `no_return` and `return_tuple`; or PyCUDA's `arguments`, which have
                pointers, `operation`, `name`, `keep` and `options`. Parameters have names of C's or
                NumPy's types, or placeholders, which stand for the types of a call's arguments.
                The operation is C++ that assigns the outputs; `i` is the element's index, `n` or
                `_ind.size()` the number of elements.
            **keywords: the same by name, and for both `options` of NVRTC, of which `-D` and
                `--use_fast_math` hold on the CPU, too, `preamble`, `loop_prep` and `after_loop`.

        Returns:
            A ufunc, or an object of this class.

        Raises:
            SignatureError: a parameter list is malformed; the message underlines the place.
            TypeError: an argument is missing or has the wrong class.
            CompilerError: the compiler rejected the operation; for placeholders, at a call.
        """
        lists = [*declared[:1], keywords.get("arguments")]
        is_pycudas = any(isinstance(text, str) and "*" in text for text in lists)
        given = bound(_OVERLOADS[is_pycudas], "ElementwiseKernel", declared, keywords)
        read = _read_pycudas(given) if is_pycudas else _read_cupys(given)
        if not read.is_callable and _is_elementwise(read.operation):
            return _ufunc(read.operation)
        return _from_form(read)

    def _set(self, form: _Form) -> None:
        self._form = form
        self.operation = operation = form.operation._replace(compiled={})
        self.name = operation.name
        self.nin = operation.n_inputs
        self.nargs = len(operation.parameters)
        self.nout = self.nargs - self.nin

    def __reduce__(self) -> tuple[object, ...]:
        """Return the declaration; a pickled kernel is compiled again, or found in the cache."""
        return _from_form, (self._form,)

    def __repr__(self) -> str:
        """Return the kernel's name."""
        return f"<elementwise kernel '{self.name}'>"

    @without_own_frames
    def __call__(
        self,
        *args: Any,
        size: int | None = None,
        stream: Any = None,
        block_size: int = BLOCK_SIZE,
    ) -> Any:
        """Run the kernel for every element, on the device of its arrays or on the CPU.

        Args:
            *args: the inputs, and the outputs if they are given: arrays, which are broadcast
                against each other unless they are `raw`, and numbers.
            size: the number of elements where all arrays are `raw`.
            stream: of a launch on a device; None: this thread's.
            block_size: threads per block of such a launch.

        Returns:
            The outputs, as CuPy returns them; None without outputs or with `no_return`.

        Raises:
            TypeError: the number of arguments is wrong, or types do not fit the parameters.
            ValueError: shapes do not match, or the number of elements is unknown.
        """
        operation = self.operation
        if len(args) not in (self.nin, self.nargs):
            raise wrong_count(self.name, operation.parameters, self.nin, len(args))
        space = space_of(args)
        given = [*args, *[None] * (self.nargs - len(args))]
        prepared = prepare(operation, space, given)
        shape = self._shape(prepared.arguments, prepared.roles, size)
        outputs = self._outputs(space, prepared.arguments, prepared.dtypes, shape)
        prepared.arguments[self.nin :] = outputs
        run(
            operation,
            space,
            prepared,
            shape,
            flattens=self._form.reduce_dims,
            block_size=block_size,
            stream=stream,
        )
        return self._result(space, args, outputs)

    def _shape(self, arguments: list[Any], roles: list[str], size: int | None) -> tuple[int, ...]:
        if "pointer" not in roles:
            known = [
                (each, role)
                for each, role in zip(arguments, roles, strict=True)
                if each is not None
            ]
            arrays, kinds = [each for each, _ in known], [role for _, role in known]
            return index_shape(self.operation, arrays, kinds, size)
        if size is not None:
            return (size,)
        first = next(each for each, role in zip(arguments, roles, strict=True) if role == "pointer")
        return (first.size,)

    def _outputs(
        self, space: Space, arguments: list[Any], dtypes: list[str], shape: tuple[int, ...]
    ) -> list[Any]:
        outputs: list[Any] = []
        for number in range(self.nin, self.nargs):
            given, parameter = arguments[number], self.operation.parameters[number]
            if given is None and parameter.is_raw:
                raise ValueError(
                    f"size of the raw output '{parameter.name}' of '{self.name}' is undecided: "
                    "pass the array"
                )
            if given is not None and not parameter.is_raw and given.shape != shape:
                raise ValueError(
                    f"output '{parameter.name}' of '{self.name}' has the shape {given.shape}, "
                    f"the elements have {shape}"
                )
            outputs.append(space.new(shape, dtypes[number]) if given is None else given)
        return outputs

    def _result(self, space: Space, args: tuple[Any, ...], outputs: list[Any]) -> Any:
        if self._form.no_return:
            return None
        given = args[self.nin :]
        results = given or tuple(space.delivered(output) for output in outputs)
        return results if self._form.return_tuple or self.nout > 1 else results[0]


#: CuPy's declaration, and PyCUDA's.
_OVERLOADS = get_overloads(ElementwiseKernel.__new__)


def _from_form(form: _Form) -> ElementwiseKernel:
    kernel = object.__new__(ElementwiseKernel)
    kernel._set(form)
    return kernel


def _read_cupys(given: dict[str, Any]) -> _Form:
    inputs, outputs = (parse(each, given[each]) for each in ("in_params", "out_params"))
    read = _operation([*inputs, *outputs], len(inputs), given)
    no_return, return_tuple = given["no_return"], given["return_tuple"]
    is_callable = bool(no_return or return_tuple or given["loop_prep"] or given["after_loop"])
    return _Form(read, is_callable, given["reduce_dims"], no_return or not outputs, return_tuple)


def _read_pycudas(given: dict[str, Any]) -> _Form:
    parameters = parse("arguments", given["arguments"])
    return _Form(_operation(parameters, len(parameters), given), True, True, True, False)


def _operation(parameters: list[Parameter], n_inputs: int, given: dict[str, Any]) -> Operation:
    text = check_text("operation", given["operation"])
    if not text.strip():
        raise mistaken(ValueError, "operation is empty", 'as in "z = x + y"', "operation")
    check_names(parameters)
    name, preamble, loop_prep, after_loop = (
        check_text(each, given[each]) for each in ("name", "preamble", "loop_prep", "after_loop")
    )
    options = read_options(given["options"])
    return Operation(
        name, parameters, n_inputs, text, preamble, loop_prep, after_loop, options, compiled={}
    )


def _is_elementwise(declared: Operation) -> bool:
    """Whether a kernel has a ufunc's meaning: outputs that depend on inputs of the element."""
    inputs = declared.parameters[: declared.n_inputs]
    outputs = declared.parameters[declared.n_inputs :]
    known = {parameter.type for parameter in inputs}
    return (
        bool(inputs and outputs)
        and not any(parameter.is_raw for parameter in declared.parameters)
        and not declared.options.others
        and all(each.type in known for each in outputs if each.is_placeholder)
        and not _core.uses_index(declared.text, [each.name for each in declared.parameters])
        and not _core.kept_output(declared.text, [each.name for each in outputs])
    )


def _ufunc(declared: Operation) -> np.ufunc:
    inputs = declared.parameters[: declared.n_inputs]
    outputs = declared.parameters[declared.n_inputs :]
    chosen = ufunc_options("ElementwiseKernel", declared.name, declared.preamble, declared.options)
    is_fixed = not any(parameter.is_placeholder for parameter in declared.parameters)
    results, operands = (", ".join(each.type for each in part) for part in (outputs, inputs))
    options = Options(
        [f"{results}({operands})"] if is_fixed else None,
        None,
        body=declared.text,
        args=[each.name for each in inputs],
        outs=[each.name for each in outputs],
        **chosen,
    )
    options.check()
    return options.from_body([each.type for each in declared.parameters])
