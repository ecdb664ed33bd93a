"""Ufuncs of a built module where neither this package nor a compiler is installed."""

import shutil
from pathlib import Path

from numpy_plugin import _core, build


def test_they_are_numpys_ufuncs(run):
    found = run("show([type(built.hypotenuse) is np.ufunc, built.hypotenuse.types, built.__all__])")
    assert found[0] is True
    assert found[1] == ["ff->f", "dd->d"]
    assert "hypotenuse" in found[2]
    assert "_hidden" not in found[2]
    assert "squared" not in found[2]


def test_module_and_ufuncs_are_described(run):
    module_doc, name, ufunc_module, doc = run(
        "f = built.quotient\nshow([built.__doc__, f.__name__, f.__module__, f.__doc__])"
    )
    assert module_doc.startswith("Ufuncs for a built module")
    assert (name, ufunc_module) == ("quotient", "some_ufuncs")
    assert doc.startswith("quotient(x, y")
    assert doc.endswith("Quotient and remainder.")


def test_types_are_promoted_as_numpy_does(run):
    program = """
f = built.hypotenuse
show([f(np.float32(3), np.float32(4)).dtype.str, f(3, 4).dtype.str, float(f(3, 4)),
      f(np.int8([3]), np.float32([4])).dtype.str])
"""
    assert run(program) == ["<f4", "<f8", 5.0, "<f4"]


def test_every_shape_gives_the_same_bits(run):
    program = """
rng = np.random.default_rng(1)
x = rng.normal(size=(301, 7))
whole = built.wave(x)
each = np.array([built.wave(float(value)) for value in x.flat]).reshape(x.shape)
strided = np.empty((7, 301)).T
built.wave(x, out=strided)
same = x.copy()
built.wave(same, out=same)
show([bool((whole == other).all()) for other in (each, strided, same, built.wave(x[::-1])[::-1])])
"""
    assert run(program) == [True] * 4


def test_derivatives_are_built(run):
    program = """
x = np.linspace(-2, 2, 9)
exact = np.exp(-x * x) * (np.cos(x) - 2 * x * np.sin(x))
f = built.wave_slope
show([f.__name__, f.types, bool(np.allclose(f(x), exact, rtol=1e-14, atol=1e-16))])
"""
    assert run(program) == ["wave_slope", ["f->f", "d->d"], True]


def test_complex_and_half_precision(run):
    program = """
z = built.scaled(np.array([1 + 2j, np.inf]))
h = built.scaled(np.array([1, 65504], np.float16))
show([z.dtype.str, [z[0].real, z[0].imag], h.dtype.str, h.tolist()])
"""
    assert run(program) == ["<c16", [0.5, 1.0], "<f2", [0.5, 32752.0]]


def test_keywords(run):
    program = """
x = np.arange(6.0).reshape(2, 3)
out = np.full((2, 3), -1.0)
built.total(x, 1, out=out, where=x > 2)
show([out.tolist(), built.total(x, x, dtype="f8", casting="safe").tolist(),
      built.total(1, [2], signature="dd->d").tolist()])
"""
    assert run(program) == [
        [[-1, -1, -1], [4, 5, 6]],
        [[0, 2, 4], [6, 8, 10]],
        [3],
    ]


def test_methods(run):
    program = """
x = np.arange(1.0, 7).reshape(2, 3)
counts = np.zeros(3)
built.total.at(counts, [0, 2, 2], 1)
show([built.total.reduce(x, axis=0).tolist(), built.total.accumulate(x, axis=1).tolist(),
      built.total.reduceat(x, [0, 2], axis=1).tolist(), built.total.outer([1, 2], [3]).tolist(),
      counts.tolist(), float(built.total.reduce([])), built.total.identity])
"""
    assert run(program) == [
        [5, 7, 9],
        [[1, 3, 6], [4, 9, 15]],
        [[3, 3], [9, 6]],
        [[4], [5]],
        [1, 0, 2],
        0.0,
        0,
    ]


def test_sums_have_numpys_bits(run):
    program = """
x = np.random.default_rng(2).normal(size=100_001)
show([built.total.reduce(x).hex(), np.add.reduce(x).hex()])
"""
    ours, numpys = run(program)
    assert ours == numpys


def test_reorderable_ufuncs_reduce_several_axes(run):
    assert run("show(float(built.checked_least.reduce(np.ones((2, 3)), axis=(0, 1))))") == 1.0


def test_division_by_zero_is_reported(run):
    program = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    zero = built.ratio(np.arange(3), 0)
    masked = built.ratio(np.arange(3), 0, where=False, out=np.zeros(3, np.int64))
try:
    with np.errstate(divide="raise"):
        built.ratio(1, 0)
except FloatingPointError as error:
    message = str(error)
show([[str(each.message) for each in caught], message, zero.tolist()])
"""
    warned, message, zero = run(program)
    assert warned == ["divide by zero encountered in ratio"]
    assert message == "divide by zero encountered in ratio"
    assert zero == [0, 0, 0]


def test_selections_raise_no_flags_of_the_side_not_taken(run):
    program = """
with np.errstate(all="raise"):
    show(built.checked_root(np.linspace(0, 4, 5)).tolist()[-1])
"""
    assert run(program) == 2.0


def test_generalized_ufuncs(run):
    program = """
a = np.arange(24.0).reshape(4, 2, 3)
x = np.arange(3.0)
show([built.transform.signature, built.transform(a, x).tolist(), (a @ x).tolist(),
      built.transform(a, a[0, 0], axes=[(1, 2), 0, 0]).shape])
"""
    signature, ours, numpys, shape = run(program)
    assert signature == "(m,n),(n)->(m)"
    assert ours == numpys
    assert shape == [2, 4]


def test_elements_are_ordered(run):
    program = """
rng = np.random.default_rng(1)
for n in (1, 16, 40, 1000):
    for x in (rng.normal(size=(2, n)), rng.integers(0, 5, (2, n)) * 1.0, rng.normal(size=(n, 2)).T):
        values, indices, middle = built.ordered(x)
        assert np.array_equal(values, np.sort(x)), n
        assert np.array_equal(indices, np.argsort(x, kind="stable")), n
        assert np.array_equal(middle, np.median(x, axis=-1)), n
show("ordered")
"""
    assert run(program) == "ordered"


def test_outputs_written_in_part_keep_the_rest(run):
    program = """
x = np.arange(-3.0, 3)
outs = [np.full(6, 9, dtype) for dtype in ("f8", "f4", ">f8", "i1")]
found = [f(x, out=out, casting="unsafe").tolist()
         for f in (built.every_second, built.positive) for out in map(np.copy, outs)]
y = np.arange(7.0)
show([found, built.every_second(y[:6], out=y[1:]).tolist(), y.tolist()])
"""
    found, shifted, y = run(program)
    assert found == [[-3, 9, -1, 9, 1, 9]] * 4 + [[9, 9, 9, 9, 1, 2]] * 4
    assert shifted == [0, 2, 2, 4, 4, 6]
    assert y == [0, *shifted]


def test_operands_are_written_in_place(run):
    program = """
x = np.arange(6.0).reshape(2, 3)
built.centre(x)
try:
    built.centre(np.broadcast_to(1.0, 3))
except ValueError as error:
    message = str(error)
show([x.tolist(), message])
"""
    centred, message = run(program)
    assert centred == [[-1, 0, 1], [-1, 0, 1]]
    assert "read-only" in message


def test_several_results(run):
    assert run("show([float(x) for x in built.quotient(7, 2)])") == [3.0, 1.0]


RAISED = """
def raised(call):
    try:
        call()
    except BaseException as error:
        return [type(error).__name__, list(map(str, error.args)),
                repr(getattr(error, "element", "absent")), getattr(error, "__notes__", [])]
    return "nothing was raised"
"""


def test_kernels_raise(run):
    program = """
x = np.ones((3, 4))
x[1, 2] = x[2, 0] = -2.25
show(raised(lambda: built.checked_root(x)))
"""
    kind, args, element, notes = run(RAISED + program)
    assert kind == "ValueError"
    assert args == ["no root of -2.2", "3"]
    assert element == "(1, 2)"
    assert notes[0].startswith("raised by 'checked_root' for element (1, 2), declared_ufuncs.py:")


def test_kernels_raise_for_the_first_element_of_any_call(run):
    program = """
x = np.array([1.0, 4, -1, -2])
y = np.full((2, 3), 2.0)
y[1, 0] = -1
show([raised(lambda: built.checked_root(x[::-1]))[2], raised(lambda: built.checked_root(-1))[2],
      raised(lambda: built.checked_root(x, where=[True, True, False, True], out=np.ones(4)))[2],
      raised(lambda: built.checked_root(x, out=x))[2], raised(lambda: built.checked_mean(y))[2],
      raised(lambda: built.checked_root(x, where=[True, True, False, False], out=np.ones(4)))])
"""
    assert run(RAISED + program) == [
        "(0,)",
        "()",
        "(3,)",
        "None",
        "(1,)",
        "nothing was raised",
    ]


def test_methods_raise(run):
    program = """
x = np.array([1.0, 13, 2])
show([raised(lambda: built.checked_least.accumulate(x[::-1])),
      raised(lambda: built.checked_least.reduce(x[1:]))[:2],
      raised(lambda: built.checked_least.at(x.copy(), [1], 2.0))[:2],
      raised(lambda: built.checked_least.outer(x, x))[:2],
      float(built.checked_least.reduce(x))])
"""
    accumulated, *others, fine = run(RAISED + program)
    assert accumulated == "nothing was raised"
    assert others == [["ArithmeticError", ["thirteen"]]] * 3
    assert fine == 1.0


def test_errors_of_other_calls_remain(run):
    program = """
show([raised(lambda: built.checked_root("text"))[0], raised(lambda: built.checked_root(1j))[0],
      raised(lambda: built.checked_root(1, 2, 3))[0], float(built.checked_root(4))])
"""
    assert run(RAISED + program) == ["TypeError", "TypeError", "TypeError", 2.0]


def test_pickles_have_the_name(run):
    program = """
import copy
data = pickle.dumps(built.transform)
show([b"some_ufuncs" in data, pickle.loads(data) is built.transform,
      copy.deepcopy(built.total) is built.total, len(data) < 100])
"""
    assert run(program) == [True, True, True, True]


def test_threads(run):
    program = """
from concurrent.futures import ThreadPoolExecutor
x = np.linspace(0, 9, 20_000)
bad = -np.ones(5)
def call(number):
    if number % 4 == 3:
        try:
            built.checked_root(bad)
        except ValueError as error:
            return error.element == (0,)
        return False
    return bool((built.checked_root(x) == np.sqrt(x)).all())
with ThreadPoolExecutor(4) as pool:
    show(all(pool.map(call, range(64))))
"""
    assert run(program) is True


def test_it_is_imported_again(run):
    program = """
import importlib
first = built.total
del sys.modules["some_ufuncs"]
again = importlib.import_module("some_ufuncs")
show([float(first(1, 2)), float(again.total(1, 2)), float(again.checked_root(4))])
"""
    assert run(program) == [3.0, 3.0, 2.0]


def test_an_import_changes_no_other_names(run):
    assert run("import builtins\nshow('__builtins__' in vars(builtins))") is False


def test_builds_are_reproducible(built_directory, tmp_path):
    source = tmp_path / "declared_ufuncs.py"
    shutil.copy(Path(__file__).with_name(source.name), source)
    again = build.build(source, tmp_path / "some_ufuncs", levels=_core.cpu_levels()[:1])
    content = again.read_bytes()
    assert content == (built_directory / again.name).read_bytes()
    assert str(tmp_path).encode() not in content
