"""Operands that no loop takes: NumPy's error as it is, and a note that says what to write."""

import numpy as np
import pytest

import numpy_plugin as npp

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

WRONG = {
    "complex": (lambda f: f(REAL, COMPLEX), ["float64, complex128", "y.real"]),
    "both": (lambda f: f(COMPLEX, COMPLEX), ["complex128, complex128", "x.real and y.real"]),
    "complex of single": (
        lambda f: f(np.ones(3, "c8"), REAL),
        ["complex64, float64", "x.real"],
    ),
    "objects": (lambda f: f(OBJECTS, 2.0), ["object, float64", "x.astype(np.float64)"]),
    "texts": (lambda f: f("a", REAL), ["<U1, float64", "x.astype(np.float64)"]),
    "reduce": (lambda f: f.reduce(COMPLEX), ["complex128, complex128", "x.real and y.real"]),
    "accumulate": (
        lambda f: f.accumulate(COMPLEX),
        ["complex128, complex128", "x.real and y.real"],
    ),
    "reduceat": (
        lambda f: f.reduceat(COMPLEX, [0]),
        ["complex128, complex128", "x.real and y.real"],
    ),
    "outer": (lambda f: f.outer(REAL, COMPLEX), ["float64, complex128", "y.real"]),
    "at": (lambda f: f.at(COMPLEX.copy(), 0, 1.0), ["complex128, float64", "x.real"]),
}


def note_of(error: BaseException) -> str:
    (note,) = error.__notes__
    return note


@pytest.mark.parametrize("case", WRONG)
def test_a_note_says_what_to_write(case):
    call, (operands, hint) = WRONG[case]
    with pytest.raises(TypeError) as caught:
        call(hypotenuse)
    assert type(caught.value) is TypeError or type(caught.value).__name__ == "_UFuncNoLoopError"
    assert str(caught.value).startswith("ufunc 'hypotenuse' ")
    assert note_of(caught.value) == (
        f"  operands: {operands}\n{LOOPS}\n  hint: {hint}, or declare a loop of these types"
    )
    np.testing.assert_allclose(hypotenuse(REAL, REAL), np.sqrt(2 * REAL))


def test_hints_can_be_followed():
    for x, y in [
        (REAL, COMPLEX),
        (np.ones(3, "c8"), REAL),
        (OBJECTS, np.ones(2)),
        (COMPLEX, COMPLEX),
    ]:
        with pytest.raises(TypeError) as caught:
            hypotenuse(x, y)
        hint = note_of(caught.value).partition("hint: ")[2].partition(", or")[0]
        names = {"x": x, "y": y, "np": np}
        for text in hint.split(" and "):
            names[text[0]] = eval(text, names)
        assert hypotenuse(names["x"], names["y"]).shape == x.shape


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
        "  hint: k.astype(np.int32), or declare a loop of these types"
    )


def test_many_loops_are_cut():
    kinds = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
    many = npp.vectorize([f"{kind}({kind})" for kind in kinds], args="x", body="return x;")
    with pytest.raises(TypeError) as caught:
        many(COMPLEX)
    assert note_of(caught.value).splitlines()[1].endswith(" and 2 more")
