"""`reduction`: a map and a reduction in one pass over the operands, without temporaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy.typing as npt

from numpy_plugin import _core
from numpy_plugin._cuda.spaces import HostSpace, space_of
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.options import LoopOptions, checked_options
from numpy_plugin._reduction.arguments import read_call
from numpy_plugin._reduction.definition import Definition
from numpy_plugin._reduction.device import reduce_on_device
from numpy_plugin._reduction.functions import (
    Function,
    combining_ufunc,
    finishing_ufunc,
    mapping_ufunc,
)
from numpy_plugin._reduction.host import reduce_on_host

__all__ = ["Reduction", "explain_launch", "reduction"]

Axis = int | Sequence[int] | None
Shape = int | Sequence[int] | None


class Reduction:
    """A reduction of mapped operands, called on arrays; made by `reduction`.

    Attributes:
        name: its name in messages.
        map: the ufunc from the operands (and the element's number) to an accumulator's items.
        combine: the ufunc from the items of two accumulators to those of one.
        finish: the ufunc from an accumulator's items to the results, or None.
        identity: the accumulator of no elements, or None.
        nin: the number of operands.
        nout: the number of results.
    """

    def __init__(self, definition: Definition, target: str) -> None:
        """Keep the functions; nothing is compiled before the first call."""
        self._definition = definition
        self.name = definition.name
        self.map, self.combine, self.finish = functions = (
            definition.map,
            definition.combine,
            definition.finish,
        )
        self.identity = definition.identity
        self.nin = definition.nin
        self.nout = definition.nout
        self._target = target
        self._core = _core.MapReduction(self.name, *functions, definition.has_index)

    def __repr__(self) -> str:
        """Return the name and the number of operands."""
        return f"<reduction '{self.name}'>"

    def __reduce__(self) -> tuple[object, ...]:
        """Return the parts, which travel by value."""
        return Reduction, (self._definition, self._target)

    @without_own_frames
    def __call__(
        self,
        *operands: npt.ArrayLike,
        axis: Axis = None,
        out: Any = None,
        keepdims: bool = False,
        initial: object = None,
        where: npt.ArrayLike = True,
        shape: Shape = None,
    ) -> Any:
        """Reduce the operands, broadcast against each other.

        Args:
            *operands: arrays and numbers; where one is on a device, the reduction runs there in
                one launch, and the results are arrays of its library.
            axis: the axis or axes that are reduced; None: all of them.
            out: an array for the result, or a tuple with one for each result.
            keepdims: keep reduced axes with size 1.
            initial: an accumulator to begin with, in place of the identity.
            where: bool array, broadcast to the operands' shape; other elements are left out.
            shape: the operands are broadcast to this shape, too.

        Returns:
            The result, or a tuple of results: arrays, or NumPy scalars where all axes of host
            arrays are reduced.

        Raises:
            TypeError: the number of operands is wrong, or the functions don't fit their types.
            ValueError: shapes don't match, or there is no element and no identity.
        """
        space = space_of((*operands, where))
        call = read_call(
            self._definition,
            space,
            operands,
            axis=axis,
            out=out,
            keepdims=keepdims,
            initial=initial,
            where=where,
            shape=shape,
        )
        if isinstance(space, HostSpace):
            found = reduce_on_host(self._core, call, self._target in ("auto", "parallel"))
        else:
            found = reduce_on_device(self._core, call)
        results = [
            space.delivered(result, output)
            for result, output in zip(found, call.outputs, strict=True)
        ]
        return results[0] if self.nout == 1 else tuple(results)


def explain_launch(
    reduction: Reduction, operands: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """Return the launch and the plan of a call on a device; None for no elements."""
    named = {"axis": None, "out": None, "keepdims": False, "initial": None, "where": True}
    space = space_of((*operands, keywords.get("where")))
    definition = reduction._definition
    call = read_call(definition, space, operands, **({**named, "shape": None} | keywords))
    if 0 in call.shape:
        return None
    results = [
        _core.make_device_array(call.result_shape, dtype, "C", None, call.name)
        for dtype in call.result_dtypes
    ]
    return reduction._core.explain_on_device(
        call.operands, call.shape, call.axes, call.mask, call.initial, results
    )


_OWN_ARGUMENTS = ("map", "reduce", "finish", "index")


@without_own_frames
def reduction(
    map: Function,
    reduce: Function,
    *,
    finish: Function | None = None,
    index: bool = False,
    **options: Unpack[LoopOptions],
) -> Reduction:
    """Make a reduction that maps its operands and combines the values in one pass.

    Each element of the broadcast operands is mapped to an accumulator, a number or a tuple;
    accumulators are combined in a fixed order, the same for every target, number of threads and
    memory layout; what `finish` makes of the last one is the result. There are no temporaries:

    >>> norm = npp.reduction(lambda x: x * x, lambda a, b: a + b, finish=np.sqrt, identity=0)
    >>> float(norm(np.array([3.0, 4.0])))
    5.0

    Elements are numbered in C order along the reduced axes. In a chunk of 2048, slot i mod 128
    takes element i; neighbouring slots are combined, then neighbouring pairs, and so on; so are the
    chunks' values. So `reduce` has to be associative and commutative.

    Args:
        map: function of one element of each operand: a Python function, a ufunc of this package
            (also one with a C++ body), or a NumPy ufunc. Its result is an accumulator.
        reduce: function of two accumulators, the earlier one first, that returns one of their type.
        finish: function of the accumulator that returns the result or a tuple of results.
        index: whether `map` takes one more argument: the element's number, an int64.
        **options: those of `fuse`, for all functions. `identity` is the accumulator of no elements,
            with which every reduction begins; without it, reductions of no elements are errors.

    Returns:
        A callable with the keywords of NumPy's reductions, `axis`, `out`, `keepdims`, `initial`,
        `where`.

    Raises:
        KernelError: a function uses unsupported features; the message shows every place.
        TypeError: an argument is no function, or the functions don't fit each other.
    """
    chosen = checked_options("reduction", LoopOptions, {**options}, _OWN_ARGUMENTS)
    identity = chosen.pop("identity")
    chosen["identity"] = None
    name = chosen["name"] or getattr(map, "__name__", "reduction").replace("<lambda>", "reduction")
    chosen["name"] = name
    mapping = mapping_ufunc(map, chosen)
    if mapping.nin < index:
        message = "map takes no arguments, and index=True adds one"
        raise mistaken(TypeError, message, "lambda i: i", "map")
    combining = combining_ufunc(reduce, mapping.nout, chosen)
    finishing = None if finish is None else finishing_ufunc(finish, mapping.nout, chosen)
    definition = Definition(name, mapping, combining, finishing, identity, index)
    return Reduction(definition, chosen["target"])
