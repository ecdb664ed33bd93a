"""Hints of wrong declarations are followed as they are: put in the place of what is underlined."""

import ast
import re
import warnings

import pytest
from golden_sections import GOLDEN
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

NAMES = {"sigs": ["float32(float32)"], "cuda": cuda}
SOURCE = "source = '__global__ void name() {}'\n"
PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .b32 result) f(.param .b32 x) {
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [x];
  st.param.b32 [result], %r1;
  ret;
}
"""

LAYOUT = 'npp.guvectorize(["void(float32[:], float32[:])"], "(n)->(n)")'
WRITABLE = 'npp.guvectorize(["d->d"], "(n)->(n)", args="a", outs="b", body="b(0) = a(0);", {})'
DECLARED = 'npp.declare_device("f", "int32(int32)", {})'
C_SOURCE = '"int f(int x) { return x; }"'

# Hints in words, and examples whose number of operands differs from the call's: the invalid call, a
# part of the hint, and the corrected call, written by hand.
BY_HAND = [
    ('npp.vectorize(["f->f", ["f->f"]])', "", 'npp.vectorize(["f->f", "float32(float32)"])'),
    (r'npp.vectorize("float32(\n    flaot32)")', "", 'npp.vectorize("float32(float32)")'),
    ("npp.vectorize([])", "leave it out", "npp.vectorize()(lambda x: x)"),
    (
        'npp.vectorize(["float32[:](float32)"])',
        "npp.guvectorize with a layout",
        'npp.guvectorize(["void(float32, float32[:])"], "()->(1)", args="x", outs="y", '
        'body="y(0) = x;")',
    ),
    (
        'npp.vectorize(["void(float32)"])',
        "write the result's type, such as float32",
        'npp.vectorize(["float32(float32)"])',
    ),
    ('npp.vectorize(["void(float32)"])', "use npp.guvectorize", LAYOUT),
    (
        'npp.vectorize(sigs, link="scale.cu")',
        "declare_device takes CUDA C++ as source=",
        DECLARED.format(f"source={C_SOURCE}"),
    ),
    ('npp.vectorize(sigs, layout="(n)->(n)")', "npp.guvectorize takes it", LAYOUT),
    ('npp.vectorize(sigs, args="x")', "leave it out", "npp.vectorize(sigs)"),
    (
        'npp.vectorize(sigs, args="x")',
        "give the kernel as body=",
        'npp.vectorize(sigs, args="x", body="return x;")',
    ),
    (
        'npp.vectorize(sigs, outs="x")(lambda x: x)',
        "leave it out",
        "npp.vectorize(sigs)(lambda x: x)",
    ),
    (
        'npp.vectorize(sigs, outs="x")(lambda x: x)',
        "give the kernel as body=",
        'npp.vectorize(sigs, args="v", outs="x", body="x = v;")',
    ),
    (
        'npp.vectorize(sigs, args=3, body="return x;")',
        'args="x, y"',
        'npp.vectorize(["dd->d"], args="x, y", body="return x;")',
    ),
    (
        'npp.vectorize(sigs, args=["x", 3], body="return x;")',
        'args="x, y"',
        'npp.vectorize(["dd->d"], args="x, y", body="return x;")',
    ),
    (
        'npp.vectorize(lambda x: x, args="x", body="return x;")',
        "leave one of them out",
        'npp.vectorize(args="x", body="return x;")',
    ),
    ('npp.guvectorize(["dd->d"], "")', "", 'npp.guvectorize(["d->d"], "(n)->(n)")'),
    (
        'npp.guvectorize(["d->d"], "(n)->(n)", writable_args="values")(lambda a, b: None)',
        "",
        WRITABLE.format('writable_args=("a",)'),
    ),
    (
        'npp.guvectorize(["d->d"], "(n)->(n)", writable_args=3)(lambda a, b: None)',
        "",
        WRITABLE.format("writable_args=(0,)"),
    ),
    (
        'npp.guvectorize(["d->d"], "(n)->(n)", writable_args=(1.5,))(lambda a, b: None)',
        "",
        WRITABLE.format("writable_args=(0,)"),
    ),
    (
        'npp.guvectorize(["d->d"], "(n)->(n)", writable_args=("aa",))(lambda a, b: None)',
        "did you mean 'a'?",
        WRITABLE.format('writable_args=("a",)'),
    ),
    (
        'npp.guvectorize(["d->d"], "(n)->(n)", writable_args=(7,))(lambda a, b: None)',
        "it has a, b",
        WRITABLE.format('writable_args=("a",)'),
    ),
    ('npp.guvectorize("(n)->(m)")', "an input with (m)", 'npp.guvectorize("(n),(m)->(m)")'),
    (
        'npp.guvectorize(["d->d"], "(n) -> ( m )")',
        "an input with (m)",
        'npp.guvectorize(["dd->d"], "(n),(m) -> ( m )")',
    ),
    ("npp.compose(np.sin)", "compose(f, g) is f(g(x))", "npp.compose(np.sin, np.cos)"),
    ("npp.compose()", "compose(f, g) is f(g(x))", "npp.compose(np.sin, np.cos)"),
    (
        "npp.compose(np.sin, lambda x: x)",
        "make the function a ufunc",
        "npp.compose(np.sin, npp.vectorize(lambda x: x))",
    ),
    (
        "npp.compose(np.sin, np.divmod)",
        "with npp.fuse",
        "npp.fuse(lambda x, y: np.sin(np.divmod(x, y)[0]))",
    ),
    (
        'npp.declare_device("f", "complex64(int32)", cpu="int f(int x) { return x; }")',
        "",
        DECLARED.format(f"cpu={C_SOURCE}"),
    ),
    (
        f'npp.declare_device(3, "int32(int32)", cpu={C_SOURCE})',
        "",
        f'npp.declare_device("f", "int32(int32)", cpu={C_SOURCE})',
    ),
    (DECLARED.format("").replace(", )", ")"), "source=", DECLARED.format(f"source={C_SOURCE}")),
    (DECLARED.format("").replace(", )", ")"), "link=", DECLARED.format('link="scale.ptx"')),
    (DECLARED.format("").replace(", )", ")"), "cpu=", DECLARED.format(f"cpu={C_SOURCE}")),
]

CALLS = {
    call.rstrip("\n"): text.rstrip("\n")
    for block in (GOLDEN / "declarations.txt").read_text().split("===== ")[1:]
    for call, _, text in [block.partition("-----\n")]
}


def hint_of(text: str) -> str:
    found = re.search(r"^  hint: (.*)$", text, re.MULTILINE)
    return found[1] if found else ""


def underlined(call: str, text: str) -> tuple[int, int]:
    """Return where in a call the underlined stretch is; of several lines the one shown."""
    lines = text.split("\n")
    marks = next(i for i, line in enumerate(lines) if re.fullmatch(r" +\^+", line))
    number = int(re.search(r"line (\d+)", lines[marks - 2])[1])
    before = call.split("\n")[: number - 1]
    line = call.split("\n")[number - 1]
    shift = len(line) - len(line.lstrip()) - 4
    begin = sum(len(other) + 1 for other in before) + lines[marks].index("^") + shift
    return begin, begin + lines[marks].count("^")


def with_argument(call: str, begin: int, end: int, keyword: str) -> str:
    """Return the first call of a program with a keyword argument, new or in an old one's place.

    One that was given by position is what is underlined.
    """
    tree = ast.parse(call, mode="eval")
    made = tree.body.func if isinstance(tree.body.func, ast.Call) else tree.body
    (new,) = ast.parse(f"f({keyword})", mode="eval").body.keywords
    if any(old.col_offset == begin for old in made.args):
        return replaced(call, begin, end, ast.unparse(new.value))
    made.keywords = [old for old in made.keywords if old.arg != new.arg] + [new]
    return ast.unparse(tree)


def without_argument(call: str, begin: int, end: int) -> str:
    """Return a call without one argument, its name and the comma before it."""
    begin = re.search(r",?\s*(\w+=)?\[?$", call[:begin]).start()
    return call[:begin] + call[end:].lstrip("]")


def is_code(text: str) -> bool:
    try:
        ast.parse(f"f({text})")
    except SyntaxError:
        return False
    return True


def replaced(call: str, begin: int, end: int, code: str) -> str:
    """Return a call with code in the place of a stretch, which may be inside of a literal."""
    is_inside = call[begin] not in "\"'" and call[begin - 1 : begin] in ('"', "'")
    return call[:begin] + (code.strip("\"'") if is_inside else code) + call[end:]


def programs(call: str, text: str) -> list[str]:
    """Return the calls after each proposal of the hint was followed."""
    hint = hint_of(text)
    by_hand = {part: program for of, part, program in BY_HAND if of == call}
    assert all(part in hint for part in by_hand)
    if "" in by_hand:
        return [by_hand[""]]
    followed = list(by_hand.values())
    if any(hint == part for part in by_hand):
        return followed
    begin, end = underlined(call, text)
    if meant := re.fullmatch(r"did you mean '(.*)'\?", hint):
        return [replaced(call, begin, end, meant[1])]
    if hint == "leave it out":
        return [without_argument(call, begin, end)]
    if hint.startswith("expected one of "):
        words = re.findall(r"[\w?]+(?: to \w+)?", hint.removeprefix("expected one of "))
        quote = '"' if call[begin] == '"' else ""
        words = [word.partition(" to ")[0] for word in words]
        return [call[:begin] + quote + word + quote + call[end:] for word in words]
    for part in re.split(r", or (?:the index: )?", hint):
        number = re.fullmatch(r"give a number, such as (.*)", part)
        code = number[1] if number else part
        if any(part in words or words in part for words in by_hand):
            continue
        if re.match(r"\w+=(?!=)", code) and is_code(code):
            followed.append(with_argument(call, begin, end, code))
        elif number:
            followed.append(re.sub(r"\(n\) *-> *\( *m *\)", code, call))
        elif code.startswith(("guvectorize(", "cuda.kernel(")):
            followed.append(code if code.startswith("cuda") else f"npp.{code}")
        else:
            followed.append(replaced(call, begin, end, code))
    return followed


WITH_HINTS = [call for call, text in CALLS.items() if hint_of(text)]


def test_there_are_many():
    assert len(WITH_HINTS) > 70


@pytest.mark.parametrize("call", WITH_HINTS)
def test_hints_can_be_followed(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.ptx").write_text(PTX)
    followed = programs(call, CALLS[call])
    assert followed
    for program in followed:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", npp.KernelWarning)
            define(SOURCE + program, "followed.py", **NAMES)
