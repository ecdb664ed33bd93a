"""`python -m numpy_plugin`: info, demo, check, build, bench, cache and simulator."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from numpy_plugin import __version__


def _info(arguments: argparse.Namespace) -> int:
    from numpy_plugin._commands import info

    return info.run(as_json=arguments.json)


def _demo(arguments: argparse.Namespace) -> int:
    from numpy_plugin._commands import demo

    return demo.run(arguments.size, plot=arguments.plot)


def _check(arguments: argparse.Namespace) -> int:
    from numpy_plugin._commands import check

    return check.run(arguments.paths, as_json=arguments.json)


def _build(arguments: argparse.Namespace) -> int:
    from numpy_plugin._commands import build

    return build.run(
        arguments.source,
        arguments.output,
        arguments.levels,
        arguments.arch,
        stub_only=arguments.stub,
    )


def _bench(arguments: argparse.Namespace) -> int:
    if arguments.ufunc is not None:
        from numpy_plugin._commands import compare

        return compare.run(
            arguments.ufunc,
            arguments.against,
            arguments.size or [1_000, 100_000],
            arguments.dtype,
            as_json=arguments.json,
        )
    from numpy_plugin._commands import bench

    return bench.run(as_json=arguments.json)


def _cache(arguments: argparse.Namespace) -> int:
    from numpy_plugin._commands import cache

    return cache.run(clear=arguments.clear or arguments.action == "clear")


def _simulator(arguments: argparse.Namespace) -> int:
    from numpy_plugin._commands import simulator

    findings = [
        "faults",
        *(["errors"] if arguments.report_api_errors else []),
        *(["leaks"] if arguments.leak_check else []),
    ]
    machine = simulator.Machine(
        arch=arguments.arch,
        memory=arguments.memory,
        checks=arguments.checks,
        faults=dict(arguments.fault),
        max_steps=arguments.max_steps,
        devices=arguments.devices,
        multiprocessors=arguments.multiprocessors,
        report=findings,
    )
    if arguments.c or arguments.m:
        flag, words = ("-c", arguments.c) if arguments.c else ("-m", arguments.m)
        return simulator.run([sys.executable, flag, *words], machine)
    program = str(arguments.program or "")
    if not program:
        arguments.parser.error("a program, -m MODULE or -c COMMAND is required")
    return simulator.run(simulator.command_of(program, arguments.arguments), machine)


def _fault(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value) if name == "copy_delay" else int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form launch=2") from None


def _add_simulator(commands: argparse.ArgumentParser) -> None:
    """Add `simulator run` and its options, which are those of `cuda.simulator()`."""
    actions = commands.add_subparsers(title="actions", required=True, metavar="ACTION")
    run = actions.add_parser(
        "run",
        help="run a program with the simulated driver",
        description="Run a program with the simulated driver in the place of NVIDIA's, libcuda.",
    )
    run.set_defaults(function=_simulator, parser=run)
    run.add_argument("--arch", default="sm_90", help='"sm_75" to "sm_121" (default: sm_90)')
    run.add_argument(
        "--memory", default="1 GiB", metavar="SIZE", help='of each device (default: "1 GiB")'
    )
    run.add_argument(
        "--checks",
        type=_names,
        default=["all"],
        metavar="NAME,...",
        help="bounds, alignment, uninitialized, races, barriers; all or none (default: all)",
    )
    run.add_argument(
        "--fault",
        type=_fault,
        action="append",
        default=[],
        metavar="NAME=N",
        help="inject a fault: allocation=N, launch=N, lost=N, copy_delay=SECONDS",
    )
    run.add_argument(
        "--max-steps", type=_count, metavar="N", help="limit of a block's warp instructions"
    )
    run.add_argument("--devices", type=_count, default=1, metavar="N", help="how many (default: 1)")
    run.add_argument("--multiprocessors", type=_count, metavar="N", help="of each device")
    run.add_argument(
        "--leak-check", action="store_true", help="report memory that is not freed at the end"
    )
    run.add_argument(
        "--report-api-errors", action="store_true", help="report each failed call of the driver"
    )
    rest = argparse.REMAINDER
    run.add_argument("-m", nargs=rest, metavar="MODULE ...", help="run a module of Python")
    run.add_argument("-c", nargs=rest, metavar="COMMAND ...", help="run a text as Python")
    program = run.add_argument("program", help="a file of Python, or any command")
    arguments = run.add_argument("arguments", nargs=rest, help="its arguments")
    program.required = arguments.required = False  # -m and -c take the rest instead


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"a count of values must be at least 1, found {value}")
    return value


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="python -m numpy_plugin",
        description="Real NumPy ufuncs from Python functions and C++ bodies.",
    )
    parser.add_argument("--version", action="version", version=f"numpy_plugin {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(
        name: str, function: Callable[[argparse.Namespace], int], text: str
    ) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        made.set_defaults(function=function)
        return made

    info = command(
        "info", _info, "show the compilers, CUDA libraries, GPU and cache that were found"
    )
    info.add_argument("--json", action="store_true", help="print JSON")

    demo = command(
        "demo", _demo, "run one declaration on the CPU and on a simulated GPU, checked and timed"
    )
    demo.add_argument(
        "--size",
        type=_count,
        default=1_000_000,
        metavar="N",
        help="number of values (default: a million)",
    )
    demo.add_argument(
        "--plot", type=Path, metavar="PNG", help="the file to draw (default: a temporary one)"
    )

    check = command(
        "check", _check, "show which kernels of a program for Numba, CuPy or PyCUDA work here"
    )
    check.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="a file, or a directory of them"
    )
    check.add_argument("--json", action="store_true", help="print JSON")

    build = command(
        "build", _build, "compile the ufuncs that a file declares to an extension module"
    )
    build.add_argument("source", type=Path, metavar="FILE", help="a Python file")
    build.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="MODULE",
        help="path of the module, without a suffix",
    )
    build.add_argument(
        "--levels",
        type=_names,
        metavar="LEVEL,...",
        help="instruction sets (default on x86-64: x86-64,x86-64-v3,x86-64-v4)",
    )
    build.add_argument(
        "--arch",
        type=_names,
        default=[],
        metavar="ARCH,...",
        help="GPU architectures: sm_90 for machine code, compute_90 for PTX",
    )
    build.add_argument("--stub", action="store_true", help="write only the stub, MODULE.pyi")

    bench = command(
        "bench",
        _bench,
        "measure start-up, calls and compilation against targets; or one ufunc beside others",
    )
    bench.add_argument("ufunc", nargs="?", metavar="MODULE:UFUNC", help="an elementwise ufunc")
    bench.add_argument(
        "--against",
        nargs="+",
        default=[],
        metavar="NAME",
        help="functions to compare it with, such as scipy.special.expit",
    )
    bench.add_argument("--size", nargs="+", type=_count, metavar="N", help="numbers of values")
    bench.add_argument("--dtype", nargs="+", default=[], metavar="DTYPE", help="float32, ...")
    bench.add_argument("--json", action="store_true", help="print JSON")

    cache = command("cache", _cache, "show or clear the disk cache of compiled code")
    cache.add_argument("action", nargs="?", choices=["show", "clear"], default="show")
    cache.add_argument("--clear", action="store_true", help="remove all entries")

    simulator = command("simulator", _simulator, "run a program on simulated devices")
    _add_simulator(simulator)
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    try:
        try:
            arguments = make_parser().parse_args(words)
            function: Callable[[argparse.Namespace], int] = arguments.function
            return function(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


if __name__ == "__main__":
    sys.exit(main())
