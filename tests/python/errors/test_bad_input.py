"""What kernels cannot say, and texts of unusual size: an error that names it, or it works.

Every kind of statement and expression that Python's `ast` has is met, so that a new Python's new
syntax is missed here first.
"""

from __future__ import annotations

import ast
import pickle

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda

WORKS = ""  # in place of a message

pytestmark = pytest.mark.usefixtures("quiet")


# By class of ast: the function's lines, and the beginning of the error; None where Python rejects
# them itself, and where another file tests them.
STATEMENTS = {
    "FunctionDef": ("def g(v):\n    return v\nreturn g(x)", WORKS),
    "AsyncFunctionDef": ("async def g(v):\n    return v\nreturn x", "'g' has several values"),
    "ClassDef": ("class A:\n    pass\nreturn x", "'class' cannot be used in a kernel"),
    "Return": ("return x", WORKS),
    "Delete": ("del x\nreturn 1.0", "'del' cannot be used in a kernel"),
    "Assign": ("y = x\nreturn y", WORKS),
    "TypeAlias": ("type A = float\nreturn x", "'type' cannot be used in a kernel"),
    "AugAssign": ("x += 1\nreturn x", WORKS),
    "AnnAssign": ("y: float = x\nreturn y", WORKS),
    "For": ("for i in range(2):\n    x += i\nreturn x", WORKS),
    "AsyncFor": ("async for i in x:\n    pass\nreturn x", None),
    "While": ("while x < 3:\n    x += 1\nreturn x", WORKS),
    "If": ("if x > 1:\n    x = 2.0\nreturn x", WORKS),
    "With": ("with x:\n    pass\nreturn x", "'with' cannot be used in a kernel"),
    "AsyncWith": ("async with x:\n    pass\nreturn x", None),
    "Match": ("match x:\n    case 1:\n        pass\nreturn x", WORKS),
    "Raise": ("raise ValueError()", None),
    "Try": ("try:\n    y = x\nexcept ValueError:\n    y = x\nreturn y", "'try' cannot be used"),
    "TryStar": (
        "try:\n    y = x\nexcept* ValueError:\n    y = x\nreturn y",
        "'try' cannot be used",
    ),
    "Assert": ("assert x < 9\nreturn x", None),
    "Import": ("import math\nreturn x", "'import' cannot be used in a kernel"),
    "ImportFrom": ("from math import sin\nreturn sin(x)", "'import' cannot be used in a kernel"),
    "Global": ("global g\ng = x\nreturn x", "a kernel cannot change the global 'g'"),
    "Nonlocal": ("nonlocal g\ng = x\nreturn x", None),
    "Expr": ("x\nreturn x", WORKS),
    "Pass": ("pass\nreturn x", WORKS),
    "Break": ("while True:\n    break\nreturn x", WORKS),
    "Continue": ("for i in range(2):\n    continue\nreturn x", WORKS),
}

EXPRESSIONS = {
    "BoolOp": ("x and 1", WORKS),
    "NamedExpr": ("(y := x)", WORKS),
    "BinOp": ("x + x", WORKS),
    "UnaryOp": ("-x", WORKS),
    "Lambda": ("(lambda v: v)(x)", WORKS),
    "IfExp": ("x if x > 1 else 2", WORKS),
    "Dict": ("{1: x}[1]", "a dict in a kernel"),
    "Set": ("{x}", "a set in a kernel"),
    "ListComp": ("[v for v in x]", "a list in a kernel"),
    "SetComp": ("{v for v in x}", "a set in a kernel"),
    "DictComp": ("{v: v for v in x}", "a dict in a kernel"),
    "GeneratorExp": ("abs(v for v in (x, 2))", "a generator in a kernel"),
    "Await": ("await x", None),
    "Yield": ("(yield x)", "a kernel returns once"),
    "YieldFrom": ("(yield from x)", "a kernel returns once"),
    "Compare": ("1.0 * (x < 2)", WORKS),
    "Call": ("abs(x)", WORKS),
    "FormattedValue": ("float(f'{x}')", "a string in a kernel"),
    "JoinedStr": ("f'{x}'", "a string in a kernel"),
    "TemplateStr": ("t'{x}'", "a string in a kernel"),
    "Interpolation": ("t'{x}'", "a string in a kernel"),
    "Constant": ("b'1'", "bytes in a kernel"),
    "Attribute": ("x.real", WORKS),
    "Subscript": ("(x, 2.0)[0]", WORKS),
    "Starred": ("max(*(x, x))", "'*' in a call cannot be used in a kernel"),
    "Name": ("x", WORKS),
    "List": ("[x][0]", WORKS),
    "Tuple": ("(x, x)[1]", WORKS),
    "Slice": ("(x, x)[0:1]", "a slice of a tuple in a kernel"),
}


def run(body: str) -> object:
    source = "def f(x):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    return npp.vectorize(["float64(float64)"])(function(source))(1.5)


def check(body: str, said: str | None) -> None:
    if said == WORKS:
        assert np.isfinite(run(body))
        return
    with pytest.raises(npp.KernelError) as caught:
        run(body)
    assert str(caught.value).startswith(said)


def kinds(base: type[ast.AST]) -> set[str]:
    old = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice"}
    return {kind.__name__ for kind in base.__subclasses__()} - old


def is_python(text: str) -> bool:
    """Whether this Python has the syntax, in a plain function."""
    try:
        compile("def f(x):\n" + "".join(f"    {line}\n" for line in text.split("\n")), "", "exec")
    except SyntaxError:
        return False
    return True


def test_every_kind_of_statement_and_expression_is_met():
    assert kinds(ast.stmt) <= set(STATEMENTS)
    assert kinds(ast.expr) <= set(EXPRESSIONS)


@pytest.mark.parametrize("kind", STATEMENTS)
def test_statements(kind):
    body, said = STATEMENTS[kind]
    if said is None or not is_python(body):
        assert said is None or kind in ("TypeAlias",), kind  # Python itself rejects it here
        return
    check(body, said)


@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_expressions(kind):
    text, said = EXPRESSIONS[kind]
    if said is None or not is_python(f"return {text}"):
        assert said is None or kind in ("TemplateStr", "Interpolation"), kind
        return
    check(f"return {text}", said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x @ x", "'@' cannot be used in a kernel"),
        ("x is 1", "'is' cannot be used in a kernel"),
        ("x in x", "'in' needs a tuple, x is float64"),
        ("x not in 3.0", "'not in' needs a tuple, 3.0 is float64"),
        ("[]", "a list in a kernel"),
        ("...", "'...' cannot be used in a kernel"),
        ("None", "None returned, the signature declares float64"),
        ("x()", "x is a float64, not a function"),
        ("x[0]", "x is a float64, not an array"),
        ("x.shape", "float64 has no 'shape'"),
        ("print", "print"),
        ("(x,) + (x,)", "'+' needs numbers"),
        ("-(x, x)", "'-' needs a number"),
        ("x if (x, x) else 1", "a tuple"),
    ],
)
def test_other_expressions(text, said):
    with pytest.raises(npp.KernelError) as caught:
        run(f"return {text}")
    assert said in str(caught.value).split("\n")[0]


DEEP = 350


def lines_of_ifs(depth: int) -> str:
    heads = "".join("    " * i + f"if x > {i}:\n" for i in range(depth))
    return heads + "    " * depth + "x += 1\nreturn x"


NESTED = {
    "sums": "return x" + " + 1" * DEEP,
    "signs": "return " + "-" * DEEP + "x",
    "conditions": "return " + "1 if x > 1 else " * DEEP + "x",
    "attributes": "return x" + ".real" * DEEP,
}


@pytest.mark.parametrize("name", NESTED)
def test_nested_350_deep(name):
    with pytest.raises(npp.KernelError, match=r"^this is nested more than 300 deep"):
        run(NESTED[name])


def test_nested_as_deep_as_may_be():
    assert run("return x" + " + 1" * 290) == 291.5
    assert run("return " + "(" * 190 + "x" + " + 1)" * 190) == 191.5
    assert run("return " + "min(9, " * 190 + "x" + ")" * 190) == 1.5
    assert run(lines_of_ifs(90)) == 1.5


def ladder(n_branches: int, condition: str = "x < {}") -> str:
    tests = [condition.format(i) for i in range(n_branches)]
    lines = [f"{'el' if i else ''}if {test}:\n    y = {i}.25\n" for i, test in enumerate(tests)]
    return "".join(lines) + "else:\n    y = -1.0\nreturn y"


def test_a_ladder_of_500_branches():
    body = ladder(500).replace("\n", "\n    ")
    f = npp.vectorize(["float64(float64)"])(function(f"def f(x):\n    {body}\n"))
    x = np.array([-5.0, 0.5, 250.0, 498.5, 499.0, np.nan])
    expected = [0.25, 1.25, 251.25, 499.25, -1.0, -1.0]
    np.testing.assert_array_equal(f(x), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(f))(x), expected)
    with cuda.simulator():
        np.testing.assert_array_equal(f(cuda.to_device(x)).copy_to_host(), expected)


def test_a_ladder_that_is_too_long():
    with pytest.raises(npp.KernelError, match=r"^an 'if' with more than 500 branches"):
        run(ladder(502))
    # Whether Python itself parses the longer one again depends on its version.
    refused = r"^('f' is nested too deeply to parse again|an 'if' with more than 500)"
    with pytest.raises(npp.KernelError, match=refused):
        run(ladder(1000))


def test_mistakes_in_a_ladder_are_found():
    with pytest.raises(npp.KernelError) as caught:
        run(ladder(500).replace("y = 321.25", "y = z"))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.message, diagnostic.line) == ("unknown name 'z'", 645)


def test_comparisons_in_a_chain_of_200():
    assert run("return 1.0 * (x" + " <= x" * 200 + ")") == 1


def chain(length: int, text: str) -> str:
    """Return functions that each call the one before; `{}` stands for the call."""
    names = ["x", *[f"d{i}(x)" for i in range(length)]]
    parts = [
        f"@npp.device\ndef d{i}(x):\n    return {text.format(names[i])}\n" for i in range(length)
    ]
    return "".join(parts) + f"def f(x):\n    return d{length - 1}(x)\n"


def test_functions_that_call_one_another_in_a_long_chain():
    f = npp.vectorize(["float64(float64)"])(function(chain(100, "{} + 1")))
    assert f(1.5) == 101.5


@pytest.mark.parametrize(
    ("length", "text"), [(2000, "{} + 1"), (60, "min(1, " * 110 + "{}" + ")" * 110)]
)
def test_a_chain_of_calls_that_is_too_long(length, text):
    with pytest.raises(npp.KernelError) as caught:
        npp.vectorize(["float64(float64)"])(function(chain(length, text)))
    assert "nested too deeply" in str(caught.value)
    assert len(str(caught.value).split("\n")) < 40


def test_a_kernel_of_5000_lines_is_read():
    lines = "".join(f"v{i} = x + {i}\nx = v{i} * 0.5\n" for i in range(2500))
    with pytest.raises(npp.KernelError, match=r"^unknown name 'z'"):
        run(lines + "return z")


@pytest.mark.slow
def test_a_kernel_of_5000_lines_runs():
    lines = "".join(f"v{i} = x + {i}\nx = v{i} * 0.5\n" for i in range(2500))
    assert run(lines + "return x") == 2498


def many(count: int) -> str:
    return ", ".join(f"a{i}" for i in range(count))


def test_64_operands():
    source = f"def f({many(63)}):\n    return a0 + a62\n"
    signature = f"float64({', '.join(['float64'] * 63)})"
    assert npp.vectorize([signature])(function(source))(*range(63)) == 62
    with pytest.raises(
        npp.SignatureError, match=r"^65 operands and results; a ufunc has at most 64"
    ):
        npp.vectorize([signature.replace("(", "(float64, ")])(function(source))
    with pytest.raises(npp.SignatureError, match="65 operands; NumPy takes at most 64"):
        npp.vectorize(function(f"def f({many(64)}):\n    return a0\n"))(*range(64))


NAMES = ["int", "double", "auto", "register", "new", "template", "operator", "namespace", "default"]
NAMES += ["switch", "unsigned", "void", "typename", "co_await", "nullptr", "this", "union", "xor"]
NAMES += ["npp", "numpy_plugin", "Kernel0", "NPP_FUNCTION", "Inputs", "Types", "cast", "float16"]
NAMES += [
    "sin",
    "fmin",
    "threadIdx",
    "warpSize",
    "half",
    "NULL",
    "EOF",
    "M_PI",
    "INFINITY",
    "linux",
]
NAMES += ["ñ", "日本", "ﬁ", "_", "__", "__builtin_trap", "temporary", "call", "steps", "p"]


def test_names_of_other_languages():
    lines = "".join(f"    {name} = {name}_2 = x + {i}\n" for i, name in enumerate(NAMES))
    total = " + ".join(f"{name} - {name}_2" for name in NAMES)
    f = npp.vectorize(["float64(float64)"])(
        function(f"def f(x):\n{lines}    return {total} + {NAMES[3]}\n")
    )
    assert f(1.5) == 4.5


def test_functions_and_arguments_with_names_of_other_languages():
    parts = [f"@npp.device\ndef {name}(int, 日本):\n    return int - 日本\n" for name in NAMES[:12]]
    total = " + ".join(f"{name}(auto, 1)" for name in NAMES[:12] if name != "auto")
    f = npp.vectorize(["float64(float64)"])(
        function("".join(parts) + f"def f(auto):\n    return {total}\n")
    )
    assert f(3.0) == 22


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return int(x) + " + "9" * 20, "99999999999999999999 does not fit int64"),
        ("return int(x) + 2**64", "18446744073709551616 does not fit int64"),
        ("return (x, x)[" + "9" * 30 + "]", "index " + "9" * 30 + " is outside"),
        (
            "for i in range(" + "9" * 30 + "):\n    x += 1\nreturn x",
            "9" * 30 + " does not fit int64",
        ),
        ("return x + (10**300 % 7)", "10**300 does not fit int64"),
    ],
)
def test_huge_integers(body, said):
    with pytest.raises(npp.KernelError) as caught:
        run(body)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "text", ["(1 << 100000)", "10**100000", "10**10**10", "9" * 400, "2.0**5000"]
)
def test_huge_integers_beside_a_float_are_infinite(text):
    assert run(f"return x + {text}") == np.inf


@pytest.mark.parametrize("body", ["pass", '"""Only says what it does."""', "x = 1.0"])
def test_bodies_that_return_nothing(body):
    with pytest.raises(
        npp.KernelError, match=r"^f returns nothing, the signature declares float64"
    ):
        run(body)


def test_a_kernel_without_arguments():
    with pytest.raises(npp.SignatureError, match=r"^the signature has no operand"):
        npp.vectorize(["float64()"])(function("def f():\n    return 1.0\n"))


def test_other_decorators_are_refused_and_named():
    source = "import functools\n@functools.partial\ndef f(x):\n    return x\n"
    with pytest.raises(npp.KernelError, match="a function is needed, found partial"):
        npp.vectorize(["float64(float64)"])(function(source))


def test_an_error_leaves_the_next_kernel_alone():
    with pytest.raises(npp.KernelError):
        run("return y")
    assert run("return x") == 1.5
