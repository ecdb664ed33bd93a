"""What ptxas and the simulated driver say of statements."""

from __future__ import annotations

import functools
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable

from ptx_tools import SimulatedDriver, site_packages, toolkit_directory

from ptx_grammar.operands import Statement, module

ERROR = re.compile(r"^ptxas \S+, line (\d+); (?:error|fatal) *: (.*)$", re.M)
BATCH = 2000


class Assembler:
    """One ptxas, by its path."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        text = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
        match = re.search(r"release (\d+)\.(\d+)", text.stdout)
        assert match, text.stdout
        major, minor = map(int, match.groups())
        self.version = f"{major}.{minor}"
        self.ptx_version = f"{major - 4}.{minor}"  # of CUDA 12 and 13

    def refusals(self, statements: Iterable[Statement], target: str) -> dict[Statement, str]:
        """The statements that are refused, each with the message."""
        left = list(statements)
        refused: dict[Statement, str] = {}
        for begin in range(0, len(left), BATCH):
            refused.update(self._refusals_in(left[begin : begin + BATCH], target))
        return refused

    def _refusals_in(self, statements: list[Statement], target: str) -> dict[Statement, str]:
        """Assemble without the statements that were refused until the rest is taken."""
        refused: dict[Statement, str] = {}
        while left := [each for each in statements if each not in refused]:
            text, first = module(left, target, self.ptx_version)
            status, log = self._run(text, target)
            if status == 0:
                break
            new = {
                left[int(line) - first]: message
                for line, message in ERROR.findall(log)
                if 0 <= int(line) - first < len(left)
            }
            if not new and len(left) == 1:
                new = {left[0]: log}
            if not new:
                half = len(left) // 2
                return {
                    **refused,
                    **self._refusals_in(left[:half], target),
                    **self._refusals_in(left[half:], target),
                }
            refused.update(new)
        return refused

    def _run(self, text: str, target: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as directory:
            source = pathlib.Path(directory) / "forms.ptx"
            source.write_text(text)
            command = [self.path, f"-arch={target}", "-O0", source, "-o", "/dev/null"]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            return run.returncode, run.stdout + run.stderr


def simulator_refusals(
    statements: Iterable[Statement], target: str, version: str, driver: SimulatedDriver
) -> dict[Statement, str]:
    refused = {}
    for statement in statements:
        text, _ = module([statement], target, version)
        if message := driver.load(text):
            refused[statement] = message
    return refused


@functools.cache
def pip_assembler() -> Assembler | None:
    """The one of nvidia-cuda-nvcc."""
    for path in sorted(site_packages().glob("nvidia/cu1?/bin/ptxas"), reverse=True):
        return Assembler(path)
    return None


@functools.cache
def toolkit_assembler() -> Assembler | None:
    directory = toolkit_directory()
    path = directory / "bin" / "ptxas" if directory else None
    found = str(path) if path and path.exists() else shutil.which("ptxas")
    return Assembler(pathlib.Path(found)) if found else None
