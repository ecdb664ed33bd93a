"""Runs random programs, many in one kernel: the oracle, the CPU and the simulated device."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda
from random_programs.dtypes import DTYPES, values
from random_programs.generator import Generator
from random_programs.oracle import expected
from random_programs.tree import Program

N_ELEMENTS = 11
# The oldest and newest simulated architectures, and those between them that added instructions.
ARCHITECTURES = ["sm_90", "sm_75", "sm_80", "sm_100", "sm_86", "sm_120"]
# NumPy allows 64 operands; these leave room for two of every dtype.
MOST_RESULTS = 49


@dataclass
class Batch:
    """Programs of one kernel, and the operands: one column of numbers a dtype."""

    programs: list[Program]
    operands: dict[str, np.ndarray]
    arch: str = ARCHITECTURES[0]

    def of(self, programs: list[Program]) -> Batch:
        return Batch(programs, self.operands, self.arch)

    def source(self) -> str:
        made: list[Program] = []
        for program in self.programs:
            made += [each for each in [*program.callees(), program] if each not in made]
        parts = [program.source(is_kernel=True) for program in made]
        lines = [f"def f({', '.join(f'x_{name}' for name in self.operands)}):"]
        results = []
        for program in self.programs:
            names = [f"{program.name}_{i}" for i in range(len(program.results))]
            arguments = ", ".join(f"x_{type}" for type in program.parameters.values())
            lines.append(f"    {', '.join(names)} = {program.name}({arguments})")
            results += names
        return "\n".join([*parts, *lines, f"    return {', '.join(results)}\n"])


def make_operands(seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    return {name: values(name, N_ELEMENTS, generator) for name in DTYPES}


def make_batch(seed: int, most: int, results: int = MOST_RESULTS) -> Batch:
    """Return as many programs as a kernel of about so many results has."""
    generator = Generator(seed, most)
    programs: list[Program] = []
    while sum(len(program.results) for program in programs) < results - 1:
        programs.append(generator.program())
    return Batch(programs, make_operands(seed), ARCHITECTURES[seed % len(ARCHITECTURES)])


def oracle_results(batch: Batch) -> list[np.ndarray]:
    results: list[np.ndarray] = []
    for program in batch.programs:
        operands = {name: batch.operands[type] for name, type in program.parameters.items()}
        results += expected(program, operands)
    return results


def kernel_results(batch: Batch) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the results on the CPU and on the simulated device."""
    ufunc = npp.vectorize(cache=False)(function(batch.source()))
    operands = list(batch.operands.values())
    results = ufunc(*operands)
    with cuda.simulator(batch.arch, memory="64 MiB"):
        device_results = ufunc(*[cuda.to_device(operand) for operand in operands])
        if not isinstance(results, tuple):
            return [results], [device_results.copy_to_host()]
        return list(results), [result.copy_to_host() for result in device_results]


def are_same(found: np.ndarray, wanted: np.ndarray, is_exact: bool) -> bool:
    """Whether two results have the same dtype and bits; one NaN is like another."""
    if found.dtype != wanted.dtype:
        return False
    if wanted.dtype.kind == "c":
        half = "f4" if wanted.dtype == "c8" else "f8"
        return are_same(found.view(half), wanted.view(half), is_exact)
    if wanted.dtype.kind not in "fV":
        return bool(np.array_equal(found, wanted))
    same = (found != found) & (wanted != wanted)
    if not is_exact:
        tolerance = 1e-4 if wanted.dtype == "f4" else 1e-12
        return bool((same | np.isclose(found, wanted, rtol=tolerance, atol=tolerance)).all())
    return bool((same | ((found == wanted) & (np.signbit(found) == np.signbit(wanted)))).all())


@dataclass
class Difference:
    """A program that did not give what was predicted."""

    program: Program
    text: str


def differences(batch: Batch) -> list[Difference]:
    """Run a batch; return what disagrees."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predicted = oracle_results(batch)
        results = kernel_results(batch)
    found: list[Difference] = []
    owners = [program for program in batch.programs for _ in program.results]
    for i, program in enumerate(owners):
        for target, of_target in zip(["CPU", "device"], results, strict=True):
            if not are_same(of_target[i], predicted[i], program.is_exact):
                text = f"{target} ({batch.arch}): {of_target[i]!r}\nexpected {predicted[i]!r}"
                found.append(Difference(program, text))
                break
    return found
