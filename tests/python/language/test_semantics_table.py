"""What an expression means: NumPy's dtype and values, for every operator, dtype and target.

Expected is what NumPy's arrays give for the same text. What Python has and arrays have not (`min`,
`and`, conditional expressions) is written with arrays here.
"""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest
from kernel_source import expressions
from random_programs.daily import share_for_today
from semantics_rows import (
    DTYPES,
    all_rows,
    cast_rows,
    chosen_rows,
    dtype,
    kernels,
    literal_rows,
    power_rows,
    some_rows,
    unary_rows,
    values,
)

import numpy_plugin as npp
from numpy_plugin import cuda

# Products and quotients of complex numbers: NumPy rounds them differently.
_ROUNDED = re.compile(r"^.*(_c(8|16) [*/]|[*/] [lr]_c(8|16)|2j \*|\*\*).*$")

NAMES = {name: name for name in DTYPES} | {
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "f2": "float16",
    "bf16": "bfloat16",
    "f4": "float32",
    "f8": "float64",
    "c8": "complex64",
    "c16": "complex128",
    "bool": "bool_",
}
KERNEL_CASTS = {f"to_{name}": getattr(npp, full) for name, full in NAMES.items()}


def numpys_cast(target: str):
    def cast(value: np.ndarray) -> np.ndarray:
        # NumPy's cast to uint32 depends on the element's position: uses the result of its scalar
        # code.
        is_open = target == "u4" and value.dtype not in map(dtype, DTYPES[:9])
        return (value.astype("i8") if is_open else value).astype(dtype(target))

    return cast


NUMPYS_CASTS = {f"to_{name}": numpys_cast(name) for name in DTYPES}


def truth(value: np.ndarray) -> np.ndarray:
    return np.asarray(value).astype(bool)


def chosen(condition: np.ndarray, yes: object, no: object) -> np.ndarray:
    # Not only np.where: bfloat16 has a common type with integers only in arithmetic.
    common = np.add(yes, no).dtype
    one, other = (np.asarray(value).astype(common) for value in (yes, no))
    return np.where(condition, one, other)


def expected(row: str, names: dict[str, object]) -> np.ndarray:
    """Return what NumPy's arrays give for an expression."""
    if "bf16" in row:  # a plain number takes its type; ml_dtypes gives float32
        names = {**names, "plain": np.array(2.5, dtype("bf16"))}
        row = row.replace("2.5", "plain")
    tree = ast.parse(row, mode="eval").body

    def value(node: ast.expr) -> object:
        return eval(compile(ast.Expression(node), row, "eval"), {"abs": np.abs}, names)

    match tree:
        case ast.IfExp():
            return chosen(value(tree.test), value(tree.body), value(tree.orelse))
        case ast.BoolOp():
            one, other = map(value, tree.values)
            is_and = isinstance(tree.op, ast.And)
            return chosen(truth(one), other, one) if is_and else chosen(truth(one), one, other)
        case ast.Call(func=ast.Name("min" | "max" as name)):
            one, other = map(value, tree.args)
            return chosen(other < one if name == "min" else other > one, other, one)
        case ast.UnaryOp(op=ast.Not()):
            return ~truth(value(tree.operand))
    return np.asarray(value(tree))


def difference(row: str, found: np.ndarray, wanted: np.ndarray) -> list[str]:
    """Say what differs: any bit, but for what NaN holds and for what NumPy rounds otherwise."""
    if found.dtype != wanted.dtype:
        return [f"{row}: {found.dtype}, expected {wanted.dtype}"]
    wanted = np.broadcast_to(wanted, found.shape)
    if wanted.dtype.kind == "c" and _ROUNDED.match(row):
        same = np.isclose(
            found, wanted, rtol=1e-6 if wanted.dtype == "c8" else 1e-14, equal_nan=True
        )
    else:
        same = (found == wanted) | ((found != found) & (wanted != wanted))
    if wanted.dtype.kind in "fV":
        same &= (wanted != wanted) | (np.signbit(found) == np.signbit(wanted))
    return [] if same.all() else [f"{row}: {found[~same][:4]}, expected {wanted[~same][:4]}"]


def check(rows: list[str]) -> None:
    failures = []
    for operands, group in kernels(rows):
        names = {name: values(name[2:])[:, None] if name[0] == "l" else values(name[2:])
                 for name in operands}  # fmt: skip
        ufunc = expressions(", ".join(operands), group, **KERNEL_CASTS)
        arrays = [np.atleast_2d(value) for value in names.values()]
        # A group of one row, as the share of some days has, gives no tuple.
        results = ufunc(*arrays) if len(group) > 1 else [ufunc(*arrays)]
        with cuda.simulator(memory="64 MiB"):
            on_device = ufunc(*[cuda.to_device(array) for array in arrays])
            device_results = on_device if len(group) > 1 else [on_device]
            device_results = [result.copy_to_host() for result in device_results]
        for row, result, device_result in zip(group, results, device_results, strict=True):
            failures += difference(row, result, expected(row, names | NUMPYS_CASTS))
            failures += difference(f"{row} on the device", device_result, result)
    assert not failures, "\n" + "\n".join(failures)


pytestmark = pytest.mark.usefixtures("quiet")


ROWS = {
    "operators": some_rows,
    "literals": literal_rows,
    "powers": power_rows,
    "signs": unary_rows,
    "choices": chosen_rows,
    "casts": cast_rows,
}


@pytest.mark.parametrize("rows", ROWS)
def test_numpys_arrays_agree(rows):
    check(share_for_today(ROWS[rows]()))


@pytest.mark.slow
@pytest.mark.parametrize("rows", ROWS)
def test_numpys_arrays_agree_for_all_rows(rows):
    check(ROWS[rows]())


@pytest.mark.slow
def test_numpys_arrays_agree_for_all_pairs():
    check(all_rows())
