"""Kernels written for Numba compile unchanged and give the same answers: Python's, and Numba's."""

from __future__ import annotations

import functools
import importlib.util
import re

import numpy as np
import pytest
from long_runs import one_in
from numba_language import PROGRAMS as LANGUAGE
from numba_programs import PROGRAMS as WHOLE
from numba_programs import Program

import numpy_plugin as npp
from numpy_plugin import cuda

PROGRAMS = WHOLE | LANGUAGE
each_program = pytest.mark.parametrize("name", PROGRAMS)


def operands_of(program: Program) -> tuple:
    return program.operands(np.random.default_rng(11))


@functools.cache
def compiled(name: str) -> np.ufunc:
    program = PROGRAMS[name]
    if program.layout:
        return npp.guvectorize(program.signatures, program.layout)(program.function)
    return npp.vectorize(program.signatures)(program.function)


@functools.cache
def answers(name: str) -> tuple[np.ndarray, ...]:
    result = compiled(name)(*operands_of(PROGRAMS[name]))
    return result if isinstance(result, tuple) else (result,)


def core_dimensions(layout: str) -> list[int]:
    inputs = re.findall(r"\(([^)]*)\)", layout.split("->")[0])
    return [len(names.split(",")) if names else 0 for names in inputs]


def run_elements(program: Program, results: tuple[np.ndarray, ...]) -> None:
    """Python's own run of a function of numbers."""
    operands = np.broadcast_arrays(*operands_of(program))
    for index in np.ndindex(results[0].shape):
        results[0][index] = program.function(*(operand[index] for operand in operands))


def run_cores(program: Program, results: tuple[np.ndarray, ...]) -> None:
    """Python's own run of a function of arrays; an output without dimensions has one element."""
    operands = [np.asarray(operand) for operand in operands_of(program)]
    sizes = core_dimensions(program.layout)
    n_loop = operands[0].ndim - sizes[0]
    for index in np.ndindex(operands[0].shape[:n_loop]):
        inputs = [
            operand[index] if operand.ndim > size else operand[()]
            for operand, size in zip(operands, sizes, strict=True)
        ]
        outputs = [
            result[index] if result.ndim > n_loop else result[(*index, None)] for result in results
        ]
        program.function(*inputs, *outputs)


def check(name: str, found: tuple[np.ndarray, ...], expected: tuple[np.ndarray, ...]) -> None:
    rtol = PROGRAMS[name].rtol
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol, err_msg=name)


@each_program
def test_the_answers_are_pythons(name):
    program = PROGRAMS[name]
    expected = tuple(np.zeros_like(result) for result in answers(name))
    (run_cores if program.layout else run_elements)(program, expected)
    check(name, answers(name), expected)


@pytest.mark.parametrize("name", [*one_in(3, WHOLE), *LANGUAGE])
def test_the_answers_are_the_same_on_a_device(name):
    with cuda.simulator():
        operands = [cuda.to_device(np.asarray(x)) for x in operands_of(PROGRAMS[name])]
        result = compiled(name)(*operands)
        results = result if isinstance(result, tuple) else (result,)
        found = tuple(one.copy_to_host() for one in results)
    check(name, found, answers(name))


@each_program
@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_the_answers_are_numbas(name):
    import numba

    program = PROGRAMS[name]
    if program.layout:
        kernel = numba.guvectorize(program.signatures, program.layout)(program.function)
    else:
        kernel = numba.vectorize(program.signatures)(program.function)
    result = kernel(*operands_of(program))
    check(name, answers(name), result if isinstance(result, tuple) else (result,))
