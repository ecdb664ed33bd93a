"""Operands of refused types: NumPy's error as it is, and a note that says what to write."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

hypotenuse = npp.vectorize(
    ["float32(float32, float32)", "float64(float64, float64)"],
    name="hypotenuse",
    args="x, y",
    body="return sqrt(x * x + y * y);",
)
last = npp.guvectorize(
    ["void(float64[:], int32, float64)"],
    "(n),()->()",
    args="a, k",
    outs="out",
    body="out(0) = a(a.shape(0) - 1) + k;",
)
LOOPS = "  loops: float32(float32, float32); float64(float64, float64)"
REAL = np.ones(3)
COMPLEX = np.ones(3, "c16")
OBJECTS = np.array([1.0, 2.0], object)

DECLARE = ", or declare a loop of these types"

# The call, the operands' types, the hint.
WRONG = {
    "complex": (lambda f: f(REAL, COMPLEX), "float64, complex128", "y.real" + DECLARE),
    "both": (
        lambda f: f(COMPLEX, COMPLEX),
        "complex128, complex128",
        "x.real and y.real" + DECLARE,
    ),
    "complex of single": (
        lambda f: f(np.ones(3, "c8"), REAL),
        "complex64, float64",
        "x.real" + DECLARE,
    ),
    "objects": (lambda f: f(OBJECTS, 2.0), "object, float64", "x.astype(np.float64)"),
    "a str": (lambda f: f("1", REAL), "<U1, float64", "float(x)"),
    "a list": (lambda f: f([1j], REAL), "complex128, float64", "np.asarray(x).real" + DECLARE),
    "a number": (lambda f: f(1j, REAL), "complex128, float64", "x.real" + DECLARE),
    "reduce": (lambda f: f.reduce(COMPLEX), "complex128, complex128", "array.real" + DECLARE),
    "accumulate": (
        lambda f: f.accumulate(COMPLEX),
        "complex128, complex128",
        "array.real" + DECLARE,
    ),
    "reduceat": (
        lambda f: f.reduceat(COMPLEX, [0]),
        "complex128, complex128",
        "array.real" + DECLARE,
    ),
    "outer": (lambda f: f.outer(REAL, COMPLEX), "float64, complex128", "y.real" + DECLARE),
    "at": (lambda f: f.at(COMPLEX.copy(), 0, 1.0), "complex128, float64", "x.real" + DECLARE),
    "objects at": (
        lambda f: f.at(OBJECTS.copy(), 0, 1.0),
        "object, float64",
        "x = x.astype(np.float64)",
    ),
}


def note_of(error: BaseException) -> str:
    (note,) = error.__notes__
    return note


@pytest.mark.parametrize("case", WRONG)
def test_a_note_says_what_to_write(case):
    call, operands, hint = WRONG[case]
    with pytest.raises(TypeError) as caught:
        call(hypotenuse)
    assert type(caught.value) is TypeError or type(caught.value).__name__ == "_UFuncNoLoopError"
    assert str(caught.value).startswith("ufunc 'hypotenuse' ")
    assert note_of(caught.value) == f"  operands: {operands}\n{LOOPS}\n  hint: {hint}"
    np.testing.assert_allclose(hypotenuse(REAL, REAL), np.sqrt(2 * REAL))


def test_hints_can_be_followed():
    for x, y in [
        (REAL, COMPLEX),
        (np.ones(3, "c8"), REAL),
        (OBJECTS, np.ones(2)),
        (COMPLEX, COMPLEX),
        (1j, REAL),
        ([1j, 2, 3], REAL),
        ("1.5", REAL),
    ]:
        with pytest.raises(TypeError) as caught:
            hypotenuse(x, y)
        hint = note_of(caught.value).partition("hint: ")[2].partition(", or")[0]
        operands, _ = follow(hint, (x, y), {})
        assert hypotenuse(*operands).shape == np.broadcast(x, y).shape


def test_the_class_and_the_text_are_numpys():
    def error_of(ufunc) -> TypeError:
        with pytest.raises(TypeError) as caught:
            ufunc(COMPLEX, OBJECTS)
        return caught.value

    ours, theirs = error_of(hypotenuse), error_of(np.copysign)
    assert type(ours) is type(theirs)
    assert str(ours).replace("hypotenuse", "copysign") == str(theirs)
    assert not hasattr(theirs, "__notes__")


def test_types_that_are_named():
    with pytest.raises(TypeError) as caught:
        hypotenuse(REAL, REAL, dtype="c16")
    assert note_of(caught.value) == (
        f"  operands: float64, float64\n{LOOPS}\n"
        "  hint: dtype= and signature= take the types of a loop"
    )


def test_core_arrays():
    with pytest.raises(TypeError) as caught:
        last(np.ones((2, 3)), 2.5)
    assert note_of(caught.value) == (
        "  operands: float64, float64\n  loops: float64(float64, int32)\n"
        "  hint: int(k), or declare a loop of these types"
    )


def test_numbers_alone():
    single = npp.vectorize(["float32(float32)"], args="x", body="return x;")
    for number, hint in [(2, "np.float32(x)"), (2.5, "np.float32(x)"), (1j, "np.float32(x.real)")]:
        with pytest.raises(TypeError) as caught:
            single(number)
        assert note_of(caught.value).splitlines()[-1].startswith(f"  hint: {hint}, or declare")
        assert single(eval(hint, {"np": np, "x": number})) == number.real


def test_many_loops_are_cut():
    kinds = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
    many = npp.vectorize([f"{kind}({kind})" for kind in kinds], args="x", body="return x;")
    with pytest.raises(TypeError) as caught:
        many(COMPLEX)
    assert note_of(caught.value).splitlines()[1].endswith(" and 2 more")


# --- casts that casting= does not allow ---

ADD = npp.vectorize(lambda x, y: x + y)
DATES = np.zeros(3, "M8[s]")
UFUNCS = {"declared": hypotenuse, "lazy": ADD}

# Operands, keyword arguments, the operands' types, the loop, the hint.
CASTS = {
    "out": (
        (REAL, REAL),
        {"out": np.zeros(3, int)},
        "float64, float64 -> int64",
        "float64(float64, float64)",
        'out= of dtype float64, or casting="unsafe"',
    ),
    "out of a number": (
        (REAL, 2.0),
        {"out": np.zeros(3, "i1")},
        "float64, float64 -> int8",
        "float64(float64, float64)",
        'out= of dtype float64, or casting="unsafe"',
    ),
    "no casting": (
        (REAL.astype(">f8"), REAL),
        {"casting": "no"},
        ">f8, float64",
        "float64(float64, float64)",
        "x.astype(np.float64), or leave casting= out",
    ),
    "out and casting": (
        (REAL, REAL),
        {"out": np.zeros(3, "f4"), "casting": "safe"},
        "float64, float64 -> float32",
        "float64(float64, float64)",
        "out= of dtype float64, or leave casting= out",
    ),
    "both": (
        (REAL.astype(">f8"), REAL),
        {"out": np.zeros(3, int), "casting": "no"},
        ">f8, float64 -> int64",
        "float64(float64, float64)",
        'x.astype(np.float64) and out= of dtype float64, or casting="unsafe"',
    ),
    "dtype": (
        (COMPLEX, REAL),
        {"dtype": "f4"},
        "complex128, float64",
        "float32(float32, float32)",
        'x.real.astype(np.float32), or casting="unsafe"',
    ),
    "dtype and a list": (
        ([1j, 2], 2.0),
        {"dtype": "f8"},
        "complex128, float64",
        "float64(float64, float64)",
        'np.asarray(x).real, or casting="unsafe"',
    ),
    "dates": (
        (DATES, REAL),
        {"dtype": "f8"},
        "datetime64[s], float64",
        "float64(float64, float64)",
        'x.astype(np.float64), or casting="unsafe"',
    ),
}


def follow(hint: str, operands: tuple, named: dict) -> tuple[tuple, dict]:
    """Return the arguments of a call after one part of a hint was followed."""
    names = {"np": np, "x": operands[0], "y": operands[1]}
    for part in hint.split(" and "):
        keyword, _, value = part.partition("=")
        if part == "leave casting= out":
            named = {name: given for name, given in named.items() if name != "casting"}
        elif part.startswith("out= of dtype "):
            shape = named["out"].shape
            named = {**named, "out": np.empty(shape, part.removeprefix("out= of dtype "))}
        elif value:
            named = {**named, keyword: eval(value)}
        else:
            name = part.partition("(")[2] if part.startswith(("np.", "float(")) else part
            names[name[0]] = eval(part, names)
    return (names["x"], names["y"]), named


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("method", ["__call__", "outer"])
@pytest.mark.parametrize("form", UFUNCS)
@pytest.mark.parametrize("case", CASTS)
def test_casts(case, form, method):
    operands, named, types, loop, hint = CASTS[case]
    if method == "outer" and "out" in named:
        shape = (3, *np.shape(operands[1]))
        named = {**named, "out": np.zeros(shape, named["out"].dtype)}
    call = getattr(UFUNCS[form], method)
    with pytest.raises(TypeError) as caught:
        call(*operands, **named)
    assert str(caught.value).startswith("Cannot cast ufunc ")
    assert note_of(caught.value) == f"  operands: {types}\n  loop: {loop}\n  hint: {hint}"
    for part in hint.split(", or "):
        right_operands, right_names = follow(part, operands, named)
        assert call(*right_operands, **right_names) is not None


def test_the_text_of_a_cast_is_numpys():
    def text_of(ufunc) -> str:
        with pytest.raises(TypeError) as caught:
            ufunc(REAL, REAL, out=np.zeros(3, int))
        return str(caught.value)

    assert text_of(hypotenuse).replace("hypotenuse", "copysign") == text_of(np.copysign)


def test_one_of_two_outputs():
    halves = npp.vectorize(
        ["float64, int64(float64)"], args="x", outs="q, r", body="q = x / 2; r = 1;"
    )
    with pytest.raises(TypeError) as caught:
        halves(REAL, out=(None, np.zeros(3, "?")))
    assert note_of(caught.value) == (
        "  operands: float64 -> None, bool\n  loop: float64, int64(float64)\n"
        '  hint: output 2 of dtype int64, or casting="unsafe"'
    )
    halves(REAL, out=(None, np.zeros(3, "?")), casting="unsafe")


@pytest.mark.parametrize("form", UFUNCS)
def test_casts_on_a_device(form):
    f = UFUNCS[form]
    with cuda.simulator():
        real, wrong = cuda.to_device(REAL), cuda.to_device(np.zeros(3, int))
        for call, hint in [
            (lambda: f(real, real, out=wrong), 'out= of dtype float64, or casting="unsafe"'),
            (
                lambda: f.outer(real, real, out=cuda.zeros((3, 3), int)),
                'out= of dtype float64, or casting="unsafe"',
            ),
            (
                lambda: f(real, real, dtype="f4", casting="equiv"),
                "x.astype(np.float32) and y.astype(np.float32), or leave casting= out",
            ),
        ]:
            with pytest.raises(TypeError) as caught:
                call()
            assert note_of(caught.value).splitlines()[-1] == f"  hint: {hint}"
        single = real.astype(np.float32)
        f(single, single, dtype="f4", casting="equiv")
        f(real, real, out=wrong, casting="unsafe")


# --- lazy ufuncs, of which NumPy finds no loop ---

KERNEL_TYPES = (
    "  loops: compiled for a call's types, each of bool, int8 to int64, uint8 to uint64, float16, "
    "bfloat16, float32, float64, complex64, complex128, datetime64, timedelta64"
)
LONG = np.ones(3, np.longdouble)

LAZY = {
    "objects": (lambda: ADD(OBJECTS, 2.0), "object, float64", "x.astype(np.float64)"),
    "a str": (lambda: ADD("1", REAL), "<U1, float64", "float(x)"),
    "long": (
        lambda: ADD(LONG, LONG),
        f"{LONG.dtype}, {LONG.dtype}",
        "x.astype(np.float64) and y.astype(np.float64)",
    ),
    "outer": (lambda: ADD.outer(REAL, LONG), f"float64, {LONG.dtype}", "y.astype(np.float64)"),
    "at": (
        lambda: ADD.at(OBJECTS.copy(), 0, 1.0),
        "object, float64",
        "x = x.astype(np.float64)",
    ),
    "reduce": (lambda: ADD.reduce(OBJECTS), "object, object", "array.astype(np.float64)"),
    "accumulate": (
        lambda: ADD.accumulate(OBJECTS),
        "object, object",
        "array.astype(np.float64)",
    ),
    "reduceat": (
        lambda: ADD.reduceat(OBJECTS, [0]),
        "object, object",
        "array.astype(np.float64)",
    ),
}


@pytest.mark.parametrize("case", LAZY)
def test_lazy_ufuncs(case):
    call, operands, hint = LAZY[case]
    with pytest.raises(TypeError) as caught:
        call()
    assert note_of(caught.value) == f"  operands: {operands}\n{KERNEL_TYPES}\n  hint: {hint}"
    np.testing.assert_array_equal(ADD(REAL, REAL), 2 * REAL)


def test_the_text_of_a_lazy_ufunc_is_numpys():
    def text_of(ufunc) -> str:
        with pytest.raises(TypeError) as caught:
            ufunc(REAL, LONG)
        return str(caught.value)

    assert text_of(ADD).startswith(f"ufunc '{ADD.__name__}' did not contain a loop with signature")


def test_structures_have_no_hint():
    with pytest.raises(TypeError) as caught:
        ADD(np.zeros(2, "i4, f8"), 1.0)
    assert note_of(caught.value).splitlines()[1:] == [KERNEL_TYPES]


def test_a_dtype_that_a_lazy_ufunc_does_not_give():
    above = npp.vectorize(lambda x, y: x > y)
    with pytest.raises(TypeError) as caught:
        above(REAL, REAL, dtype="f8")
    assert note_of(caught.value) == (
        "  operands: float64, float64\n  loop: bool(float64, float64)\n  hint: leave dtype= out"
    )
    assert above(REAL, REAL).dtype == bool


@pytest.mark.filterwarnings("ignore:'where' used without 'out'")
def test_other_errors_have_no_note():
    for call in [
        lambda f: f(REAL, REAL, REAL, REAL),
        lambda f: f(REAL, REAL, order=3),
        lambda f: f(REAL, REAL, where=REAL),
        lambda f: f(REAL),
        lambda f: f(REAL, REAL, out=3.0),
        lambda f: f(REAL, REAL, out=(REAL, REAL)),
        lambda f: f.reduce(),
        lambda f: f.reduce(REAL, orde="K"),
        lambda f: f.accumulate(1.0),
        lambda f: f.reduceat(REAL),
        lambda f: f.outer(REAL),
        lambda f: f.outer(REAL, REAL, REAL, REAL),
        lambda f: f.at(REAL.copy(), 0),
        lambda f: f.at(REAL.copy()),
        lambda f: f.at(REAL.copy(), 0, 1, 2, 3),
    ]:
        for f in UFUNCS.values():
            with pytest.raises((TypeError, ValueError)) as caught:
                call(f)
            assert not hasattr(caught.value, "__notes__")
