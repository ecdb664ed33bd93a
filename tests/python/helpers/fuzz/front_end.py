"""`python front_end.py FIRST COUNT`: programs and syntax data, changed at random, declared.

Whatever comes in, there is an error of this package or a kernel: no crash, no other exception.
There is no compiler here, so that what is typed and emitted ends in a CompilerError.
"""

from __future__ import annotations

import ast
import copy
import os
import random
import sys
import warnings

os.environ["NUMPY_PLUGIN_CXX"] = "/bin/false"

from kernel_source import function
from random_programs.generator import Generator

import numpy_plugin as npp
from numpy_plugin import _core
from numpy_plugin._frontend.syntax import function_syntax

DTYPES = ["bool", "int8", "uint64", "int64", "float16", "float32", "float64", "complex128"]
ERRORS = (npp.KernelError, npp.SignatureError, npp.CompilerError, TypeError, ValueError)


def program(seed: int) -> str:
    """Return the source of a random kernel `f` of two arguments and a function that it calls."""
    generator = Generator(seed, 3)
    made = [generator.program() for _ in range(3)]
    callee = made[-1]
    sources = [each.source(is_kernel=True) for each in made]
    arguments = ", ".join(["x", "y", "x + y", "2"][: len(callee.parameters)])
    return "\n".join([*sources, f"def f(x, y):\n    return {callee.name}({arguments})\n"])


# ---- changed programs


def change_tree(tree: ast.Module, choose: random.Random) -> None:
    """Put a part of the program where another of its parts was."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.expr, ast.stmt))]
    fields = [
        (node, field, number)
        for node in ast.walk(tree)
        for field, value in ast.iter_fields(node)
        if isinstance(value, list)
        and value
        and field in ("body", "orelse", "args", "elts", "targets")
        for number in range(len(value))
    ]
    fields += [
        (node, field, None)
        for node in ast.walk(tree)
        for field, value in ast.iter_fields(node)
        if isinstance(value, (ast.expr, ast.operator, ast.cmpop, ast.boolop, ast.unaryop))
    ]
    owner, field, number = choose.choice(fields)
    old = getattr(owner, field) if number is None else getattr(owner, field)[number]
    kind = next(
        kind
        for kind in (ast.expr, ast.stmt, ast.operator, ast.cmpop, ast.boolop, ast.unaryop, ast.AST)
        if isinstance(old, kind)
    )
    pool = [node for node in nodes if isinstance(node, kind)] or operators(kind)
    new = copy.deepcopy(choose.choice(pool))
    if number is None:
        setattr(owner, field, new)
    else:
        getattr(owner, field)[number] = new


def operators(kind: type[ast.AST]) -> list[ast.AST]:
    return [each() for each in kind.__subclasses__()]


def declare_changed_program(seed: int) -> None:
    choose = random.Random(seed)
    tree = ast.parse(program(seed // 10))
    for _ in range(choose.randint(1, 4)):
        change_tree(tree, choose)
    try:
        source = ast.unparse(ast.fix_missing_locations(tree))
        compile(source, "program", "exec")
        made = function(source)
    except Exception:  # invalid Python, or fails to run
        return
    signature = f"{choose.choice(DTYPES)}({choose.choice(DTYPES)}, {choose.choice(DTYPES)})"
    try:
        npp.vectorize([signature])(made)
    except ERRORS:
        return


# ---- changed syntax data


def change_data(data: object, choose: random.Random) -> object:
    """Return nested tuples with one leaf or tuple changed."""
    if isinstance(data, tuple) and data and choose.random() < 0.93:
        number = choose.randrange(len(data))
        return (*data[:number], change_data(data[number], choose), *data[number + 1 :])
    others = [None, "", "Name", "BinOp", "Add", "x", -1, 0, 2**31, 2**70, 1.5, 1j, True, (), ((),)]
    return choose.choice([*others, (data,), (data, data), str(data)[:20]])


def declare_changed_data(seed: int) -> None:
    choose = random.Random(seed)
    data: object = function_syntax(function(program(seed // 10)))
    for _ in range(choose.randint(1, 3)):
        data = change_data(data, choose)
    record = _core.Declaration()
    record.name = "f"
    record.signatures = ["float64(float64, int32)"]
    try:
        record.syntax = data
        _core.make_ufunc(record, None)
    except (*ERRORS, OverflowError):
        return


def main(first: int, count: int) -> None:
    warnings.simplefilter("ignore")
    for seed in range(first, first + count):
        for run in (declare_changed_program, declare_changed_data):
            try:
                run(seed)
            except BaseException:
                print(f"{run.__name__}({seed})", flush=True)
                raise


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
