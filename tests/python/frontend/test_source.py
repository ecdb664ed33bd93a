"""Where a kernel's source is found, and what is said where it is not."""

import functools
import linecache
import math
import warnings

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp

SIGNATURES = ["float64(float64, float64)"]


def message(declare) -> str:
    with pytest.raises(npp.KernelError) as caught:
        declare()
    return str(caught.value)


def test_a_nested_decorated_function_with_a_closure():
    factor = 3.0

    @npp.vectorize(
        ["float64(float64)"],
    )
    def triple(
        x,
    ):
        """Three times x.

        Text that is not indented.
        """
        # comment
        return x * factor

    assert triple(2.0) == 6
    assert "Three times x." in triple.__doc__


def test_lambdas_of_one_line_are_told_apart():
    f, g, h = (npp.vectorize(SIGNATURES)(k) for k in (lambda x, y: x + y, lambda x, y: x - y,
                                                     lambda x, y: (x
                                                                   * y)))  # fmt: skip
    assert (f(5.0, 3.0), g(5.0, 3.0), h(5.0, 3.0)) == (8, 2, 15)


def test_a_lambda_inside_a_call_over_several_lines():
    table = {
        "add": npp.vectorize(
            SIGNATURES,
        )(
            lambda x, y: x
            + y
        ),
    }  # fmt: skip
    assert table["add"](1.0, 2.0) == 3


def test_a_kernel_of_a_rewritten_test_module():
    def f(x, y):
        return x + y

    assert npp.vectorize(SIGNATURES)(f)(1.0, 2.0) == 3


def test_code_that_exec_made_has_no_source():
    namespace: dict[str, object] = {}
    exec("def f(x, y): return x + y", namespace)
    text = message(lambda: npp.vectorize(SIGNATURES)(namespace["f"]))
    assert text == (
        "the source of 'f' cannot be read: it was created by exec\n"
        "  hint: write it to a file, or enter the text in linecache.cache before exec"
    )


def test_an_edited_file_is_noticed(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text("def f(x, y):\n    return x + y\n")
    namespace: dict[str, object] = {"__name__": "edited"}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    path.write_text("def f(x, y):\n    return x - y\n")
    linecache.checkcache(str(path))
    text = message(lambda: npp.vectorize(SIGNATURES)(namespace["f"]))
    assert text.startswith("the source of 'f' has changed since it was loaded")


def test_a_text_kept_from_before_an_edit_is_read_again(tmp_path):
    path = tmp_path / "reloaded.py"
    path.write_text("def f(x, y):\n    return x + y + 0.0\n")
    linecache.getlines(str(path))
    path.write_text("def f(x, y):\n    return x - y\n")
    namespace: dict[str, object] = {"__name__": "reloaded"}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    assert npp.vectorize(SIGNATURES)(namespace["f"])(5.0, 3.0) == 2


def test_parts_of_a_file_that_are_compiled_one_after_the_other(tmp_path):
    """As sphinx-gallery does; calls of modules have other code where the import is elsewhere."""
    imports = "import math\nimport numpy_plugin as npp\n"
    kernel = "@npp.vectorize(['float64(float64)'])\ndef f(x):\n    return math.sqrt(x)\n"
    file = tmp_path / "parts.py"
    file.write_text(imports + kernel)
    namespace = {"__name__": "parts"}
    exec(compile(imports, file, "exec"), namespace)
    exec(compile("\n\n" + kernel, file, "exec"), namespace)
    assert namespace["f"](4.0) == 2.0


def test_builtin_functions_and_other_objects():
    text = message(lambda: npp.vectorize(SIGNATURES)(math.sin))
    said, _, line, marks, hint = text.splitlines()
    assert said == "math.sin is built in and has no Python source"
    assert line[marks.index("^") : len(marks)] == "math.sin"
    assert hint == "  hint: lambda x: math.sin(x)"
    assert message(lambda: npp.vectorize(SIGNATURES)(3)).startswith(
        "a function is needed, found int\n"
    )
    assert message(lambda: npp.device(3)).startswith("a function is needed, found int\n")
    things = [3]
    assert message(lambda: npp.device(*things)) == "a function is needed, found int"


WRAPPED = """
import functools
def timed(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper

@timed
def f(x, y):
    return x + y
"""


def test_a_wrapped_function():
    text = message(lambda: npp.vectorize(SIGNATURES)(define(WRAPPED, "wrapped.py")["f"]))
    assert text == (
        "'f' is wrapped by 'timed', whose code would be compiled instead\n"
        '  File "wrapped.py", line 9, in f\n    @timed\n    ^^^^^^\n'
        "  hint: put @npp.vectorize right above the def"
    )


@pytest.mark.parametrize(
    ("head", "expected", "place", "hint"),
    [
        ("async def f(x, y)", "an 'async' function cannot be a kernel", "async def f", "use def"),
        ("def f(*args)", "a kernel has a fixed number of arguments", "*args", "def f(x, y)"),
        ("def f(x, *, y)", "an operand cannot be keyword-only", "y", "remove the '*'"),
        ("def f(x, y='a')", "a default must be a number, found a string", "'a'", ""),
    ],
)
def test_heads_that_no_kernel_has(head, expected, place, hint):
    text = message(lambda: npp.vectorize(SIGNATURES)(define(f"{head}:\n    return 1.0\n")["f"]))
    lines = text.splitlines()
    assert lines[0] == expected
    start, end = lines[3].index("^"), lines[3].rindex("^") + 1
    assert lines[2][start:end] == place
    assert lines[4:] == ([f"  hint: {hint}"] if hint else [])


def test_a_method():
    source = "class C:\n    def f(self, x):\n        return x * self.k\n"
    method = define(source)["C"].f
    text = message(lambda: npp.vectorize(SIGNATURES)(method))
    assert text.startswith("'self' is not a number; a method cannot be a kernel\n")
    assert text.endswith("hint: make it a function of (x, k)")


def test_a_default_that_is_a_number_is_no_mistake():
    f = npp.vectorize(SIGNATURES)(define("def f(x, y=2.0):\n    return x + y\n")["f"])
    assert f(1.0, 2.0) == 3


def test_a_device_function_is_a_function_of_python_too():
    @npp.device
    def half(v):
        """Half of v."""
        return v / 2

    assert half(3) == 1.5
    assert half.__doc__ == "Half of v."
    assert "half" in repr(half)

    @npp.vectorize(["float64(float64)"])
    def quarter(x):
        return half(half(x))

    assert quarter(6.0) == 1.5


def test_device_functions_that_are_defined_later_are_found():
    source = (
        "@npp.device\ndef first(v):\n    return second(v) + 1\n"
        "@npp.device\ndef second(v):\n    return v * 2\n"
        "def f(x):\n    return first(x)\n"
    )
    assert npp.vectorize(["int64(int64)"])(define(source)["f"])(5) == 11


def test_tuples_and_numbers_of_the_module_and_of_closures():
    names = {"WEIGHTS": (1, 2.5, np.float32(4)), "FLAG": True}
    source = (
        "def f(x):\n    return WEIGHTS[0] * x + WEIGHTS[1] * x + WEIGHTS[-1] * x if FLAG else x\n"
    )
    f = npp.vectorize(["float32(float32)"])(define(source, **names)["f"])
    assert f(np.float32(2)) == 15


def test_names_that_are_keywords_of_cpp():
    source = "def f(int, new):\n    double = int + new\n    return double\n"
    assert npp.vectorize(SIGNATURES)(define(source)["f"])(1.0, 2.0) == 3


def test_partial_objects_are_no_functions():
    partial = functools.partial(math.pow, 2)
    assert message(lambda: npp.vectorize(SIGNATURES)(partial)).startswith("a function is needed")


def test_a_file_may_begin_with_an_empty_line():
    # `np` is not imported in this text, so that all of it is parsed.
    f = npp.vectorize(["float64(float64)"])(define("\ndef f(x):\n    return np.float64(x)\n")["f"])
    assert f(1.5) == 1.5


def test_what_python_warns_of_when_it_compiles_is_not_said_twice():
    source = 'def f(x, y):\n    """\\\\alpha and \\d"""\n    return y if x is 1 else x\n'
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f = define(source)["f"]
        warnings.simplefilter("error")
        assert message(lambda: npp.vectorize(SIGNATURES)(f)).startswith("'is' cannot be used")
