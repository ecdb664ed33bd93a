"""`python -m random_programs --first 0 --programs 10000`: prints programs that differ."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from random_programs.runner import MOST_RESULTS, Batch, Difference, differences, make_batch
from random_programs.shrink import shrink
from random_programs.tree import Program

_HERE = Path(__file__).parent.parent


def shrunk_text(batch: Batch, difference: Difference) -> str:
    """Return the smallest program that still differs, with what it should have given."""

    def fails(program: Program) -> bool:
        try:
            return bool(differences(batch.of([program])))
        except Exception:  # the shrinker's result is no longer a program
            return False

    alone = difference.program
    if not fails(alone):
        return f"only beside the batch's other programs:\n{alone.source(True)}{difference.text}"
    program = shrink(alone, fails)
    made = [*program.callees(), program]
    operands = {name: batch.operands[type] for name, type in program.parameters.items()}
    text = differences(batch.of([program]))[0].text
    return "\n".join([*[each.source(True) for each in made], text, f"operands {operands}"])


def failing_source(batch: Batch) -> str:
    """Return the source of the first program that fails alone; of all where none does."""
    for program in batch.programs:
        try:
            differences(batch.of([program]))
        except Exception:
            return batch.of([program]).source()
    return batch.source()


def run_seed(seed: int, most: int, results: int) -> tuple[int, list[str]]:
    """Run one batch; return how many programs it had and what differed."""
    batch = make_batch(seed, most, results)
    try:
        found = differences(batch)
    except Exception as error:
        return len(batch.programs), [f"{error}\n{failing_source(batch)}"]
    return len(batch.programs), [shrunk_text(batch, each) for each in found[:3]]


def run(first: int, step: int, programs: int, most: int, results: int) -> int:
    """Run every `step`-th seed until there were enough programs; return how many batches differ."""
    n_programs = n_wrong = 0
    start = time.perf_counter()
    seed = first
    with np.errstate(all="ignore"):
        while n_programs < programs:
            count, texts = run_seed(seed, most, results)
            n_programs += count
            n_wrong += bool(texts)
            for text in texts:
                print(f"seed {seed} --most {most} --results {results}:\n{text}\n", flush=True)
            seed += step
    seconds = time.perf_counter() - start
    print(f"{n_programs} programs in {seconds:.0f} s, {n_wrong} batches differ", flush=True)
    return n_wrong


def run_in_parallel(arguments: list[str], processes: int) -> int:
    """Share the seeds among processes of their own: each has a compiler and a simulator."""
    command = [sys.executable, "-m", "random_programs", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_HERE), *sys.path])}
    running = [
        subprocess.Popen([*command, "--share", f"{i}/{processes}"], env=environment)
        for i in range(processes)
    ]
    return sum(process.wait() != 0 for process in running)


def main() -> int:
    parser = argparse.ArgumentParser(prog="random_programs", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--most", type=int, default=1, help="statements of the outermost block")
    parser.add_argument("--results", type=int, default=MOST_RESULTS, help="results of a kernel")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--share", default="0/1", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.processes > 1:
        shared = [f"--first={options.first}", f"--programs={options.programs}"]
        shared += [f"--most={options.most}", f"--results={options.results}"]
        return run_in_parallel(shared, options.processes)
    share, shares = map(int, options.share.split("/"))
    wanted = -(-options.programs // shares)
    first = options.first + share
    return min(run(first, shares, wanted, options.most, options.results), 1)


if __name__ == "__main__":
    sys.exit(main())
