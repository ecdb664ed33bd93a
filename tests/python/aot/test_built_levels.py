"""Every level of a built module gives the bits that this package's own code has at that level."""

import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from long_runs import in_long_runs

from numpy_plugin import _core, build

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="levels of x86-64")

LEVELS = ("x86-64", "x86-64-v3", "x86-64-v4")
FLAGS = {"x86-64": "sse2", "x86-64-v3": "bmi2", "x86-64-v4": "avx512vl"}
SUPPORTED = [
    level
    for level in LEVELS
    if FLAGS[level] in Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
]
DECLARED = Path(__file__).with_name("level_ufuncs.py")

DIGESTS = """
import hashlib, json, sys
import numpy as np
import {module} as built
rng = np.random.default_rng(3)
x = rng.normal(scale=4, size=10_007)
found = []
for values in (x, x.astype(np.float32), x[::3], x[:5]):
    with np.errstate(all="ignore"):
        results = built.wave(values), built.steps(values)
        rows = np.resize(values, (len(values), 3))
        results += (built.cross(rows, rows[::-1]), built.third(values.astype(np.float16)))
        results += (built.third((values + 1j).astype(np.complex64)),)
    found.append([hashlib.sha256(result.tobytes()).hexdigest() for result in results])
print(json.dumps(found))
"""


def digests(module, directory, **environment):
    done = subprocess.run(
        [sys.executable, "-P", "-c", DIGESTS.format(module=module)],
        env={**os.environ, "PYTHONPATH": str(directory), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """The directory of modules with one level each, and of one with all."""
    made = tmp_path_factory.mktemp("levels")
    for level in LEVELS:
        build.build(DECLARED, made / f"of_{level.replace('-', '_')}", levels=[level])
    build.build(DECLARED, made / "of_all")
    return made


def module_of(level):
    return f"of_{level.replace('-', '_')}"


@pytest.mark.parametrize("level", [*in_long_runs(*SUPPORTED[:-1]), *SUPPORTED[-1:]])
def test_a_level_has_the_bits_of_this_package(directory, level):
    ours = digests("level_ufuncs", DECLARED.parent, NUMPY_PLUGIN_CPU=level)
    assert digests(module_of(level), directory) == ours


def test_the_newest_supported_level_is_chosen(directory):
    assert digests("of_all", directory) == digests(module_of(SUPPORTED[-1]), directory)


def test_levels_differ_in_their_code():
    from level_ufuncs import wave

    objects = [_core.built_object(wave, level, 0, 0) for level in LEVELS]
    assert len({hashlib.sha256(each).digest() for each in objects}) == len(LEVELS)


@pytest.mark.skipif(list(LEVELS) == SUPPORTED, reason="this processor supports every level")
def test_a_module_of_newer_levels_is_not_imported(directory):
    program = f"import sys; sys.path.insert(0, {str(directory)!r}); import of_x86_64_v4"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False
    )
    assert "of_x86_64_v4 needs a processor with the instructions of x86-64-v4" in done.stderr


def test_a_module_has_all_levels_by_default(directory):
    (module,) = directory.glob("of_all.*.so")
    content = module.read_bytes()
    assert all(f"{level}\0".encode() in content for level in LEVELS)
