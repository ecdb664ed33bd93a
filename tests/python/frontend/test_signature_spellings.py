"""Type signatures: every spelling means the same loops, every mistake is underlined."""

import warnings

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import complex64, complex128, float32, float64, int32, int64, intc, intp


def first(signatures, n_inputs, n_outputs=1):
    """A ufunc whose every result is its first operand."""
    names = [f"x{i}" for i in range(n_inputs)]
    outs = [f"r{i}" for i in range(n_outputs)]
    is_single = n_outputs == 1
    return npp.vectorize(
        signatures,
        args=names,
        outs=None if is_single else outs,
        body="return x0;" if is_single else "".join(f"{name} = x0; " for name in outs),
    )


ONE_OPERAND = {
    "float32(float32)": ["f->f"],
    "f->f": ["f->f"],
    "f4(f4)": ["f->f"],
    "single(single)": ["f->f"],
    " float32 ( float32 ) ": ["f->f"],
    "f8(f4)": ["f->d"],
    "double(float)": ["d->d"],
    "float16(float16)": ["e->e"],
    "half(f2)": ["e->e"],
    "bool(float32)": ["f->?"],
    "bool_(b1)": ["?->?"],
    "u1(u2)": ["H->B"],
    "byte(ubyte)": ["B->b"],
    "short(ushort)": ["H->h"],
    "i4(intc)": ["i->i"],
    "i8(intp)": ["l->l"],
    "int_(uint)": ["L->l"],
    "c8(c8)": ["F->F"],
    "c16(c16)": ["D->D"],
    "D->D": ["D->D"],
    "float64, float64(float64)": ["d->dd"],
    "(float64, float64)(float64)": ["d->dd"],
    "float64, int32(float64)": ["d->di"],
    "d->di": ["d->di"],
}


@pytest.mark.skipif(np.dtype("l").itemsize != 8, reason="int64 has another letter here")
@pytest.mark.parametrize("text", ONE_OPERAND)
def test_texts(text):
    expected = ONE_OPERAND[text]
    n_outputs = len(expected[0].partition("->")[2])
    assert first(text, 1, n_outputs).types == expected
    assert first([text], 1, n_outputs).types == expected
    assert first((text,), 1, n_outputs).types == expected


ALIASES = {
    name: np.dtype(name)
    for name in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "c8", "c16"]
}
ALIASES |= {
    f"{kind}{bits}": np.dtype(f"{kind}{bits}")
    for kind in ("int", "uint")
    for bits in (8, 16, 32, 64)
}
ALIASES |= {
    name: np.dtype(name) for name in ["intc", "intp", "uintp", "bool", "float64", "complex64"]
}


@pytest.mark.parametrize("name", ALIASES)
def test_names_of_types_are_numpys(name):
    f = first(name, 1)
    assert f(ALIASES[name].type(1)).dtype == ALIASES[name]


def test_types_of_a_python_kernel():
    assert npp.vectorize("complex128(complex64)")(lambda x: x).types == ["F->D"]
    assert npp.vectorize(complex128(float32))(lambda x: x).types == ["f->D"]


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for spelling in ("bfloat16(bfloat16)", npp.bfloat16, ml_dtypes.bfloat16):
        f = first(spelling, 1)
        assert npp.inspect(f).signatures == ["bfloat16(bfloat16)"]
        assert f(np.ones(3, ml_dtypes.bfloat16)).dtype == ml_dtypes.bfloat16


TWO_OPERANDS = {
    "NumPy's letters": ("ff->f", ["ff->f"]),
    "letters, two results": ("dd->dd", ["dd->dd"]),
    "letters, different types": ("ii->?", ["ii->?"]),
    "text": ("float32(float32, float32)", ["ff->f"]),
    "no space": ("float32(float32,float32)", ["ff->f"]),
    "text, two results": ("float64, float64(float64, float64)", ["dd->dd"]),
    "text, two results in parentheses": ("(float64, float64)(float64, float64)", ["dd->dd"]),
    "type objects": (float32(float32, float32), ["ff->f"]),
    "NumPy's types inside": (float64(np.float64, np.dtype("f8")), ["dd->d"]),
    "a text inside": (float64("f8", "float64"), ["dd->d"]),
    "Python's types inside": (float64(float, int), ["dl->d"]),
    "aliases": (intc(intc, intp), ["il->i"]),
    "a bare type": (float32, ["ff->f"]),
    "a bare text": ("float32", ["ff->f"]),
    "a bare alias": ("f8", ["dd->d"]),
    "a bare type of NumPy's": (np.float32, ["ff->f"]),
    "a bare dtype": (np.dtype("f4"), ["ff->f"]),
    "a bare type of Python's": (float, ["dd->d"]),
    "a list of a bare type": ([float32], ["ff->f"]),
    "a list of bare types": ([float32, np.float64, "c16"], ["ff->f", "dd->d", "DD->D"]),
    "a tuple of types": ((float32, float64), ["ff->f", "dd->d"]),
    "complex": ([complex64(complex64, complex64), complex128], ["FF->F", "DD->D"]),
    "all at once": (
        ["i4(i4, i4)", "ll->l", float32(float32, float32), np.float64],
        ["ii->i", "ll->l", "ff->f", "dd->d"],
    ),
    "a tuple of all": (("f4(f4, f4)", float64), ["ff->f", "dd->d"]),
}


@pytest.mark.skipif(np.dtype("l").itemsize != 8, reason="int64 has another letter here")
@pytest.mark.parametrize("name", TWO_OPERANDS)
def test_two_operands(name):
    spelling, types = TWO_OPERANDS[name]
    assert first(spelling, 2, len(types[0].partition("->")[2])).types == types


def test_loops_are_ordered_by_what_can_be_cast_to_what():
    """A call takes the first loop that its operands can be cast to safely."""
    f = first(["float64(float64)", "int32(int32)", "float32(float32)"], 1)
    assert f(np.int8(1)).dtype == np.int32
    assert f(np.float16(1)).dtype == np.float32


def test_type_objects_read_as_they_are_written():
    assert float32(float32, float32) == "float32(float32, float32)"
    assert repr(float64[:]) == "float64[:]"
    assert repr(float64[:, :]) == "float64[:,:]"
    assert (int32, intc, intp) == (int32, int32, int64)


def test_type_objects_cast_numbers():
    assert float32(0.1) == np.float32(0.1)
    assert type(npp.int8(3)) is np.int8


def test_array_types_take_colons():
    with pytest.raises(npp.SignatureError) as caught:
        float64[3]
    assert str(caught.value) == "float64[...] takes colons, one per dimension, found 3"


CORE_SPELLINGS = {
    "text": "void(float64[:], float64[:])",
    "scalar output bare": "void(float64[:], float64)",
    "result in front": "float64(float64[:])",
    "letters": "d->d",
    "aliases": "void(f8[:], f8[:])",
    "type objects": npp.void(float64[:], float64[:]),
    "type objects, scalar output bare": npp.void(float64[:], float64),
    "result object in front": float64(float64[:]),
    "a bare type": float64,
    "a bare type of NumPy's": np.float64,
    "a list of a text": ["void(float64[:], float64[:])"],
    "a list of a tuple": [(float64[:], float64[:])],
    "a tuple": (float64[:], float64[:]),
    "a tuple, scalar output bare": (float64[:], float64),
}


@pytest.mark.parametrize("name", CORE_SPELLINGS)
def test_generalized(name):
    @npp.guvectorize(CORE_SPELLINGS[name], "(n)->()")
    def total(a, out):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i]
        out[0] = s

    assert total.types == ["d->d"]
    assert total([[1.0, 2.0], [3.0, 4.0]]).tolist() == [3.0, 7.0]


def test_generalized_with_several_spellings_and_dimensions():
    signatures = [
        "void(float32[:,:], float32[:], float32[:])",
        (float64[:, :], float64[:], float64[:]),
        npp.void(int32[:, :], int32[:], int32[:]),
        "DD->D",
    ]

    @npp.guvectorize(signatures, "(m,n),(n)->(m)")
    def product(a, x, out):
        for i in range(a.shape[0]):
            out[i] = 0
            for k in range(a.shape[1]):
                out[i] += a[i, k] * x[k]

    assert product.types == ["ff->f", "ii->i", "dd->d", "DD->D"]
    a, x = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    for dtype in (np.float32, np.float64, np.int32, np.complex128):
        result = product(a.astype(dtype), x.astype(dtype))
        assert result.dtype == dtype
        np.testing.assert_array_equal(result, a @ x)


TYPES = (
    "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64, "
    "complex128, datetime64, timedelta64"
)
SIGNATURE_MISTAKES = {
    "unknown type": (
        ["flaot32(float32)"],
        "unknown type 'flaot32'\n"
        "  signature 1: flaot32(float32)\n"
        "               ^^^^^^^\n"
        "  hint: did you mean 'float32'?",
    ),
    "unknown type and nothing near": (
        ["f->f", "quark(float32)"],
        "unknown type 'quark'\n"
        "  signature 2: quark(float32)\n"
        "               ^^^^^\n"
        f"  hint: expected one of {TYPES}",
    ),
    "no closing parenthesis": (
        ["float32(float32, float32"],
        "')' is missing\n"
        "  signature 1: float32(float32, float32\n"
        "               ^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    "no parentheses": (
        ["float32 float32"],
        "a signature is result(operands), found 'float32 float32'\n"
        "  signature 1: float32 float32\n"
        "               ^^^^^^^^^^^^^^^\n"
        '  hint: "float32(float32)"',
    ),
    "two commas": (
        ["float32(float32,, float32)"],
        "an operand is missing between the commas\n"
        "  signature 1: float32(float32,, float32)\n"
        "                              ^^",
    ),
    "no kernel type": (
        ["str(float32)"],
        "'str' is not a kernel type\n"
        "  signature 1: str(float32)\n"
        "               ^^^\n"
        f"  hint: expected one of {TYPES}",
    ),
    "letter of no kernel type": (
        "O->O",
        f"'O' is not a kernel type\n  signature 1: O->O\n               ^\n"
        f"  hint: expected one of {TYPES}",
    ),
    "different numbers of operands": (
        ["float32(float32)", "float64(float64, float64)"],
        "signature 2 has 2 operands, signature 1 has 1\n"
        "  signature 2: float64(float64, float64)\n"
        "               ^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    "names with an arrow": (
        "float32->float64",
        "'->' signatures use one character per type, found 'float32'\n"
        "  signature 1: float32->float64\n"
        "               ^^^^^^^^^^^^^^^^\n"
        '  hint: "float32(float32)"',
    ),
    "void": (
        "void(float32)",
        "a vectorize kernel returns its result, found void\n"
        "  signature 1: void(float32)\n"
        "               ^^^^\n"
        "  hint: write the result's type, such as float32, or use npp.guvectorize",
    ),
    "empty text": ("", 'signature 1 is empty\n  hint: "float32(float32)"'),
    "empty list": (
        [],
        "the list of signatures is empty\n"
        "  hint: leave it out to compile for the types of each call",
    ),
}


# The source of these is unavailable: the text of the argument itself is shown.
declare_function = eval("lambda signatures: npp.vectorize(signatures)(lambda x: x)")
declare_body = eval('lambda signatures: npp.vectorize(signatures, args="x", body="return x;")')
declare_layout = eval(
    'lambda layout: npp.guvectorize(["void(float64[:], float64[:])"], layout)(lambda a, b: None)'
)


@pytest.mark.parametrize("name", SIGNATURE_MISTAKES)
def test_mistakes(name):
    signatures, text = SIGNATURE_MISTAKES[name]
    for declare in (declare_function, declare_body):
        with pytest.raises(npp.SignatureError) as caught:
            declare(signatures)
        assert str(caught.value) == text


LAYOUT_MISTAKES = {
    "no arrow": (
        "(n)(n)",
        "the layout has no '->'\n  layout: (n)(n)\n          ^^^^^^\n  hint: \"(n)->(n)\"",
    ),
    "more operands": (
        "(n),(n)->()",
        "the layout names 3 operands, the signature has 2\n"
        "  layout: (n),(n)->()\n"
        "          ^^^^^^^^^^^",
    ),
    "more dimensions": (
        "(m,n)->(n)",
        "operand 1 is float64[:] with 1 dimension, the layout (m,n) has 2\n"
        "  signature 1: void(float64[:], float64[:])\n"
        "                    ^^^^^^^^^^\n"
        "  hint: float64[:,:]",
    ),
}


@pytest.mark.parametrize("name", LAYOUT_MISTAKES)
def test_layout_mistakes(name):
    layout, text = LAYOUT_MISTAKES[name]
    with pytest.raises(npp.SignatureError) as caught:
        declare_layout(layout)
    assert str(caught.value) == text


def test_numbas_keyword_is_accepted():
    assert npp.vectorize(["f->f"], nopython=True)(lambda x: x).types == ["f->f"]


def test_a_signature_given_twice_is_warned_about_and_kept_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f = first(["float32(float32)", "f->f"], 1)
    assert f.types == ["f->f"]
    (warning,) = caught
    assert warning.category is npp.KernelWarning
    assert str(warning.message) == (
        "signature 2 is the same as signature 1\n  signature 2: f->f\n               ^^^^"
    )
