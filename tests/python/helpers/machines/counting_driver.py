"""Programs that run with the counting driver of tests/driver as their libcuda.so.1.

They start with PRELUDE: `driver.calls(function)` returns the names of the driver calls that a
function makes, `driver.submitted(function)` those that ask anything of the device,
`driver.fail(...)` makes calls fail, `driver.leaks()` tells what was not freed.
"""

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

#: How the reason of a test begins that is left out for want of a build.
NOT_BUILT = "'make test' has not built "

DIRECTORY = Path(__file__).parents[4] / "build" / "make" / "driver"

#: PTX for it is executed, as that of a GPU newer than every NVRTC.
EXECUTING = "capability=150 version=13090"

PRELUDE = """
import ctypes
import gc
import sys
import warnings
import numpy as np
import numpy_plugin as npp
from numpy_plugin import cuda


class Driver:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.library.counting_driver_calls.restype = ctypes.c_char_p
        self.library.counting_driver_leaks.restype = ctypes.c_char_p

    def reset(self):
        self.library.counting_driver_reset()

    def names(self):
        return self.library.counting_driver_calls().decode().split()

    def calls(self, function, *arguments, **keywords):
        self.reset()
        result = function(*arguments, **keywords)
        names = self.names()
        del result
        # A setting of this thread, which asks nothing of the device.
        return [name for name in names if name != "cuThreadExchangeStreamCaptureMode"]

    def submitted(self, function, *arguments, **keywords):
        names = self.calls(function, *arguments, **keywords)
        return [name for name in names if name != "cuCtxGetCurrent"]

    def fail(self, name, n=1, count=1, result=304):
        self.library.counting_driver_fail(name.encode(), n, count, result)

    def leaks(self):
        gc.collect()
        lines = self.library.counting_driver_leaks().decode().splitlines()
        return {name.rstrip("s"): int(n) for n, name in (line.split(" ", 1) for line in lines)}


driver = Driver()
"""


def skip_without(library: Path) -> None:
    """Leave the test out where a library of tests/driver is not built."""
    if not library.exists():
        pytest.skip(f"{NOT_BUILT}{library.relative_to(Path(__file__).parents[4])}")


def run_with_driver(program: str, settings: str = EXECUTING, **variables: str) -> str:
    """Run a program with this driver, and return what it prints."""
    skip_without(DIRECTORY / "libcuda.so.1")
    environment = {name: value for name, value in os.environ.items() if name != "NUMPY_PLUGIN_CUDA"}
    environment |= {"NUMPY_PLUGIN_CUBLAS": "off"} | variables | {"COUNTING_DRIVER": settings}
    environment["LD_LIBRARY_PATH"] = str(DIRECTORY)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "program.py"
        file.write_text(PRELUDE + textwrap.dedent(program))
        done = subprocess.run(
            [sys.executable, str(file)], capture_output=True, text=True, env=environment
        )
    assert done.returncode == 0, done.stderr
    return done.stdout
