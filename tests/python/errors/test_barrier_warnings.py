"""Warnings about barriers that not every thread reaches, and none about those that all reach."""

import re
import warnings

import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

MESSAGE = "not every thread reaches this barrier; the block may hang"


def warned(body, signature="void(float32[:], int64)", **names):
    """The warnings of a kernel of `a` and `n` with this body: their texts and lines."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    function = define(f"def k(a, n):\n{lines}", cuda=cuda, npp=npp, **names)["k"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cuda.kernel(function, signature)
    assert all(issubclass(warning.category, npp.KernelWarning) for warning in caught)
    return [(str(warning.message), warning.lineno) for warning in caught]


def test_the_whole_text():
    (warning,) = warned("""
i = cuda.grid(1)
if i < a.size:
    cuda.syncthreads()
    a[i] = 0
""")
    text, line = warning
    assert line == 4
    assert re.sub(r"kernel_\d+", "kernel", text) == (
        f'{MESSAGE}\n  File "kernel.py", line 4, in k\n    cuda.syncthreads()\n'
        "    ^^^^^^^^^^^^^^^^^^\n"
        '  note: this differs between threads\n  File "kernel.py", line 3, in k\n'
        "    if i < a.size:\n       ^^^^^^^^^^\n"
        "  hint: move it out of the 'if'"
    )


@npp.device
def is_first():
    return cuda.threadIdx.x == 0


@npp.device
def wait():
    cuda.syncthreads()


@npp.device
def wait_where(flag):
    if flag:
        cuda.syncthreads()


WARNED = {
    "else": (
        "if cuda.threadIdx.x > 3:\n    a[0] = 1\nelse:\n    cuda.syncthreads()",
        5,
        "move it out of the 'if'",
    ),
    "early return": (
        "i = cuda.grid(1)\nif i >= a.size:\n    return\ncuda.syncthreads()\na[i] = 0",
        5,
        "remove the 'return' and put that work inside an 'if'",
    ),
    "for": (
        "for j in range(cuda.threadIdx.x):\n    cuda.syncthreads()",
        3,
        "move it out of the loop",
    ),
    "strided loop": (
        "for j in range(cuda.grid(1), a.size, cuda.gridsize(1)):\n    cuda.syncthreads()",
        3,
        "move it out of the loop",
    ),
    "while": (
        "i = cuda.threadIdx.x\nwhile i > 0:\n    i //= 2\n    cuda.syncthreads()",
        5,
        "move it out of the loop",
    ),
    "break": (
        "for j in range(n):\n    cuda.syncthreads()\n    if j > cuda.laneid:\n        break",
        3,
        "same number of iterations",
    ),
    "continue": (
        "for j in range(n):\n    if j == cuda.threadIdx.y:\n        continue\n"
        "    cuda.syncthreads()",
        5,
        "put the code that the 'continue' skips inside an 'if'",
    ),
    "return in a loop": (
        "for j in range(n):\n    cuda.syncthreads()\n    if a[cuda.grid(1)] > j:\n        return",
        3,
        "remove the 'return' and put that work inside an 'if'",
    ),
    "an element of the thread's own": (
        "if a[cuda.grid(1)] > 0:\n    cuda.syncthreads()",
        3,
        "'if'",
    ),
    "what an atomic gives": (
        "if cuda.atomic.add(a, 0, 1) == 0:\n    cuda.syncthreads()",
        3,
        "'if'",
    ),
    "what only some assign": (
        "last = 0\nif cuda.threadIdx.x == 5:\n    last = 1\nif last == 1:\n    cuda.syncthreads()",
        6,
        "'if'",
    ),
    "what a later trip has": (
        "x = 0\ny = 0\nfor j in range(n):\n    if y > 0:\n        cuda.syncthreads()\n"
        "    y = x\n    x = cuda.threadIdx.x",
        6,
        "'if'",
    ),
    "a local array": (
        "own = cuda.local.array(2, npp.int32)\nown[1] = cuda.laneid\nif own[0] > 0:\n"
        "    cuda.syncthreads()",
        5,
        "'if'",
    ),
    "what a warp decides": (
        "if cuda.any_sync(-1, a[cuda.grid(1)] > 0):\n    a[0] = cuda.syncthreads_count(n)",
        3,
        "'if'",
    ),
    "a grid of two dimensions": (
        "x, y = cuda.grid(2)\nif x < n and y < n:\n    cuda.syncthreads()",
        4,
        "'if'",
    ),
    "what a device function gives": ("if is_first():\n    cuda.syncthreads()", 3, "'if'"),
}


@pytest.mark.parametrize("name", WARNED)
def test_barriers_that_not_all_reach(name):
    body, line, hint = WARNED[name]
    ((text, found_line),) = warned(body, is_first=is_first)
    assert text.startswith(MESSAGE)
    assert found_line == line
    assert hint in text.rsplit("hint: ")[-1]


def test_the_places_are_in_the_functions_that_are_called():
    ((text, _),) = warned("wait()\nif cuda.threadIdx.x < n:\n    wait()", wait=wait)
    assert text.startswith(MESSAGE)
    assert "in wait\n    cuda.syncthreads()" in text
    assert "in k\n    if cuda.threadIdx.x < n:" in text
    ((text, _),) = warned("wait_where(n > 2)\nwait_where(cuda.laneid > 2)", wait_where=wait_where)
    assert "in wait_where\n    if flag:" in text


SILENT = {
    "an argument": "if n > 3:\n    cuda.syncthreads()",
    "the size of an array": "if len(a) > 3 and a.shape[0] < 9:\n    cuda.syncthreads()",
    "the block": "if cuda.blockIdx.x == 0:\n    cuda.syncthreads()",
    "one element": "if a[n] > 0:\n    cuda.syncthreads()",
    "a reduction": (
        "part = cuda.shared.array(64, npp.float32)\ni = cuda.threadIdx.x\npart[i] = a[i]\nm = 32\n"
        "while m > 0:\n    cuda.syncthreads()\n    if i < m:\n        part[i] += part[i + m]\n"
        "    m //= 2\nif i == 0:\n    a[0] = part[0]"
    ),
    "after the 'if'": "if cuda.grid(1) < n:\n    a[cuda.grid(1)] = 1\ncuda.syncthreads()",
    "before the 'continue'": (
        "for j in range(n):\n    cuda.syncthreads()\n    if j == cuda.laneid:\n        continue\n"
        "    a[j] = 1"
    ),
    "after the loop": (
        "for j in range(n):\n    if j > cuda.laneid:\n        break\ncuda.syncthreads()"
    ),
    "a function that returns early": "if is_first_of(a):\n    a[0] = 1\ncuda.syncthreads()",
    "all return": "if n > 0:\n    return\ncuda.syncthreads()",
    "a shared flag": (
        "flag = cuda.shared.array(1, npp.int32)\nif cuda.threadIdx.x == 0:\n    flag[0] = n\n"
        "cuda.syncthreads()\nif flag[0] > 2:\n    cuda.syncthreads()"
    ),
    "what all threads decide": "while cuda.syncthreads_or(a[cuda.grid(1)] > 0):\n    a[0] = 0",
    "a warp's barrier": "if cuda.threadIdx.x < 32:\n    cuda.syncwarp()",
}


@npp.device
def is_first_of(a):
    if cuda.threadIdx.x > 0:
        return False
    a[0] = 2
    return True


@pytest.mark.parametrize("name", SILENT)
def test_barriers_that_all_reach(name):
    assert warned(SILENT[name], is_first_of=is_first_of) == []


def test_a_warning_is_given_once_for_each_types():
    kernel = cuda.kernel(
        define(
            "def k(a):\n    if a[cuda.threadIdx.x] > 0:\n        cuda.syncthreads()\n", cuda=cuda
        )["k"]
    )
    for n_expected, signature in (
        (1, "void(int32[:])"),
        (0, "void(int32[:])"),
        (1, "void(int8[:])"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            kernel._typed.for_signature(signature)
        assert len(caught) == n_expected


def test_many_functions_and_variables_take_no_long_time():
    names = {"cuda": cuda, "npp": npp, "f0": wait_where}
    for i in range(1, 30):
        source = f"def f{i}(x):\n    f{i - 1}(x)\n    f{i - 1}(x + 1)\n"
        names[f"f{i}"] = npp.device(define(source, **names)[f"f{i}"])
    chain = "".join(f"    x{i} = x{i + 1}\n" for i in range(150))
    body = "f29(n)\n" + "".join(f"x{i} = 0\n" for i in range(151))
    body += f"for j in range(n):\n{chain}    x150 = cuda.laneid\nif x0 > 0:\n    cuda.syncthreads()"
    assert len(warned(body, f29=names["f29"])) == 1
