"""Check the package on a machine with a GPU that has no network.

python tools/gpu_check prepare makes a folder to carry there: the package for that machine's Python,
the tests and the checks. `bash FOLDER/run.sh RESULTS` there writes report.txt, probes.json,
bench.json and log.txt to RESULTS. `python tools/gpu_check report RESULTS` writes the tables of
docs/benchmarks/gpu.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
if __package__ in (None, ""):
    sys.path.insert(0, str(HERE.parent))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="gpu_check", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = made.add_subparsers(dest="command", required=True)
    prepare = commands.add_parser("prepare", help="make the folder to carry")
    prepare.add_argument("folder", nargs="?", type=Path, default=Path("build/gpu_check"))
    prepare.add_argument("--python", default=sys.executable, help="of the machine's version")
    prepare.add_argument(
        "--core", type=Path, default=Path("build/make"), help="a build of the core"
    )
    run = commands.add_parser("run", help="what run.sh calls")
    run.add_argument("results", type=Path)
    report = commands.add_parser("report", help="write the tables of docs/benchmarks/gpu.md")
    report.add_argument("results", type=Path)
    report.add_argument("--to", type=Path, default=Path("docs/benchmarks/gpu.md"))
    return made


def main(words: Sequence[str] | None = None) -> int:
    """Run one of the commands."""
    given = parser().parse_args(words)
    if given.command == "prepare":
        from gpu_check import prepare

        prepare.prepare(given.folder, given.python, given.core)
        return 0
    if given.command == "run":
        from gpu_check import run

        return run.run(given.results.resolve())
    from gpu_check import report

    report.write(given.results, given.to)
    return 0


if __name__ == "__main__":
    sys.exit(main())
