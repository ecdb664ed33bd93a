"""Every function of whole arrays in kernels, compared with NumPy: values, dtypes, errors."""

from __future__ import annotations

import ast
import inspect
import random
import re

import numpy as np
import pytest
from array_functions.calls import CALLS, calls_for, function_names, may_be_refused
from array_functions.kernels import Kernel, difference, numpys
from array_functions.operands import DTYPES, operand_sets, ordinary_operands
from kernel_source import error_of
from long_runs import in_long_runs
from random_programs.daily import SEED

import numpy_plugin as npp
from numpy_plugin import cuda
from numpy_plugin._frontend.array_calls import EXPANSIONS, _row

pytestmark = pytest.mark.filterwarnings("ignore")

# One kernel of more calls takes long to compile.
MOST_CALLS = 24


def test_every_function_has_calls():
    assert set(function_names()) == set(CALLS)


def check(pairs: list[tuple[str, str]], dtype: str, rank: int) -> None:
    """Compare calls with NumPy for all operands."""
    operands = ordinary_operands(dtype, rank)
    pairs = [(name, call) for name, call in pairs if not numpys(call, operands).error]
    for first in range(0, len(pairs), MOST_CALLS):
        names = {call: name for name, call in pairs[first : first + MOST_CALLS]}
        kernel = Kernel(list(names), dtype, rank)
        refused = [call for call in kernel.refused if not may_be_refused(names[call], dtype, rank)]
        assert refused == []
        for operands in operand_sets(dtype, rank, SEED) if kernel.calls else ():
            for call, found, known in kernel.outcomes(operands):
                fault = difference(names[call], found, known, operands)
                assert not fault, f"{call} of {dtype}: {fault}\nseed {SEED}, {operands}"


def test_first_calls_of_half_of_the_functions():
    pairs = [(name, calls[0]) for name, calls in CALLS.items()]
    check(pairs[SEED % 2 :: 2], "float64", 1)


def test_calls_of_the_day():
    drawn = random.Random(SEED)
    for dtype, rank in zip(drawn.sample(DTYPES, 3), (1, 2, 3), strict=True):
        check(drawn.sample(calls_for(rank), 6), dtype, rank)


@pytest.mark.parametrize(
    ("dtype", "rank"), in_long_runs(*[(dtype, rank) for dtype in DTYPES for rank in (1, 2, 3)])
)
def test_all_calls(dtype, rank):
    check(calls_for(rank), dtype, rank)


def check_devices(pairs: list[tuple[str, str]], dtype: str, rank: int) -> None:
    """Compare calls on a device with those on the CPU, bit by bit."""
    # Sizes on a device follow from core dimensions, which the number n is not.
    own_sizes = re.compile(r"\bn\b|bincount")
    kernel = Kernel([call for _, call in pairs if not own_sizes.search(call)], dtype, rank)
    if not kernel.calls:
        return
    with cuda.simulator(memory="64 MiB"):
        for operands in list(operand_sets(dtype, rank, SEED))[:: 1 if len(pairs) > 9 else 5]:
            calls = [call for call in kernel.calls if not numpys(call, operands).error]
            host = kernel.run(calls, operands)
            device = kernel.run(calls, operands, cuda.to_device)
            for call, found, known in zip(calls, device, host, strict=True):
                np.testing.assert_array_equal(found.elements, known.elements, err_msg=call)
                assert found.shape == known.shape, call


def test_devices_have_the_same_bits():
    pairs = calls_for(1)
    check_devices([pairs[SEED % len(pairs)], *pairs[SEED % 40 :: 60]], "float32", 1)


@pytest.mark.parametrize(
    ("dtype", "rank"), in_long_runs(("float64", 1), ("int8", 2), ("complex64", 1), ("uint64", 3))
)
def test_devices_have_the_same_bits_for_all_calls(dtype, rank):
    pairs = calls_for(rank)
    for first in range(0, len(pairs), MOST_CALLS):
        check_devices(pairs[first : first + MOST_CALLS], dtype, rank)


# Values of NumPy's parameters that are not their defaults.
VALUES = {
    "axis": "1", "out": "a", "keepdims": "True", "where": "a > 0", "initial": "1", "n": "2",
    "order": "'x'", "sorter": "c", "period": "360.0", "left": "0.0", "right": "True",
    "dtype": "np.float32", "casting": "'no'", "method": "'lower'", "weights": "a",
    "overwrite_input": "True", "axes": "(1, 0)", "retstep": "True", "prepend": "0", "like": "a",
    "returned": "True", "equal_nan": "True", "mean": "0.0", "correction": "1", "ord": "1",
    "interpolation": "'lower'", "append": "0", "axisa": "0", "axisb": "0", "axisc": "0",
    "device": "'cpu'", "subok": "True", "ndmin": "2", "shape": "(3,)", "signature": "'dd->d'",
    "ndmax": "2", "rowvar": "True", "max": "1", "min": "0", "copy": "True",
    "descending": "True", "density": "True", "return_index": "True", "return_inverse": "True",
    "return_counts": "True", "sorted": "False", "assume_unique": "True", "upper": "True",
    "to_end": "0", "to_begin": "0", "axis1": "1", "axis2": "0",
    "y": "a", "fweights": "c", "aweights": "c",
}  # fmt: skip
# Parameters that kernels take, or that have no effect there.
TAKEN = {
    **dict.fromkeys(["sum", "prod", "mean"], "axis keepdims dtype"),
    **dict.fromkeys(["var", "std"], "axis keepdims ddof"),
    **dict.fromkeys(["min", "max", "amin", "amax", "any", "all", "argmin", "argmax"],
                    "axis keepdims"),
    "count_nonzero": "axis keepdims",
    **dict.fromkeys(["zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like",
                     "full_like"], "dtype order shape fill_value prototype a"),
    "copy": "order", "array": "dtype copy order", "asarray": "dtype copy order",
    "ascontiguousarray": "dtype",
}  # fmt: skip


def parameters(name: str) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function; none if NumPy does not tell."""
    function = getattr(np.linalg, name[7:]) if name.startswith("linalg.") else getattr(np, name, 0)
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


@pytest.mark.parametrize("name", EXPANSIONS)
def test_parameters_are_numpys(name):
    """Names, their order and their defaults; a later NumPy may have more."""
    ours, _ = _row(name)
    known = parameters(name)
    for item, (parameter, default) in zip(known.values(), ours.items(), strict=False):
        if item.kind is item.POSITIONAL_ONLY:
            continue
        assert item.name == parameter
        is_given = default is None or isinstance(default, ast.Name) or name == "average"
        if not is_given and item.name not in ("dtype", "M", "prepend", "append", "keepdims"):
            assert ast.literal_eval(default) == item.default


def required(name: str) -> str:
    arguments = {
        "interp": "1.0, c, c", "linspace": "0, 1", "searchsorted": "c, 1.0", "eye": "3",
        "identity": "3", "polyval": "c, 1.0", "digitize": "1.0, c", "roll": "c, 1",
        "quantile": "c, 0.5", "nanquantile": "c, 0.5", "percentile": "c, 50",
        "nanpercentile": "c, 50", "allclose": "c, c", "cross": "c[:3], c[:3]", "inner": "c, c",
        "outer": "c, c", "vdot": "c, c", "append": "c, c", "concatenate": "(c, c)",
        "convolve": "c, c", "hstack": "(c, c)", "linalg.solve": "a, c", "linalg.inv": "a",
        "linalg.det": "a", "repeat": "c, 2", "reshape": "c, (1, -1)", "linalg.cholesky": "a",
        "array_equal": "c, c", "isin": "c, c", "partition": "c, 1", "take": "c, 0",
        "stack": "(c, c)", "vstack": "(c, c)", "column_stack": "(c, c)", "trace": "a",
        "diag": "a", "diagonal": "a", "tril": "a", "triu": "a", "fliplr": "a",
        "bincount": "np.arange(3)", "corrcoef": "a", "cov": "a",
    }  # fmt: skip
    return arguments.get(name, "c")


def test_other_arguments_are_refused_by_their_names():
    calls = []
    for name in CALLS:
        ours = set(_row(name)[0]) if name in EXPANSIONS else set(TAKEN.get(name, "").split())
        expression = (
            ast.parse(_row(name)[1].format(side="side", mode="mode", rowvar=""))
            if name in EXPANSIONS
            else None
        )
        names = {
            item.id for item in ast.walk(expression or ast.Module()) if isinstance(item, ast.Name)
        }
        for parameter, item in parameters(name).items():
            is_required = item.default is item.empty
            is_used = parameter in ours and (expression is None or parameter in names)
            if is_required or is_used or parameter in ("kind", "mode", "rowvar", "side", "stable"):
                continue
            calls.append(
                (f"np.{name}({required(name)}, {parameter}={VALUES[parameter]})", parameter)
            )
    lines = "".join(f"    r{i} = {call}\n" for i, (call, _) in enumerate(calls))
    declare = npp.guvectorize(["void(float64[:,:], float64[:], float64[:])"], "(m,n),(k)->()")
    error = error_of(declare, f"def f(a, c, out):\n{lines}    out[0] = 0.0\n")
    found = {item.line - 2: item.message for item in error.diagnostics}
    assert len(calls) > 80
    for i, (call, parameter) in enumerate(calls):
        assert f"'{parameter}'" in found.get(i, ""), (call, found.get(i))


@pytest.mark.parametrize("rank", [2, 3])
def test_other_ranks_are_refused(rank):
    """Functions that NumPy applies along an axis, and calls that it refuses as well."""
    calls = [
        "np.argsort(a)", "np.cross(a, a)", "np.diff(a)", "np.digitize(q, a)", "np.flip(a)",
        "np.inner(a, a)", "np.inner(s, a)", "np.interp(q, a, a)", "np.interp(q, s, a)",
        "np.polyval(a, q)", "np.roll(a, 1)", "np.searchsorted(a, q)", "np.sort(a)",
        "np.trapezoid(a)", "np.trapezoid(s, a)", "np.vdot(a, b)", "np.average(a, weights=s)",
    ]  # fmt: skip
    kernel = Kernel(calls, "float64", rank)
    assert kernel.calls == []
    for call, message in kernel.refused.items():
        assert message.startswith(call.replace("(a)", "(a)")[: call.index("(")]), message
        assert "dimension" in message
