"""Lane blocks of generalized kernels: the bits, flags and exceptions of one element at a time."""

import shutil

import core_kernels
import numpy as np
import pytest
from core_kernels import DECLARED, KERNELS, nearest, operands, place_of, ratio, stepped, unit
from flag_kinds import collected_kinds
from lane_kernels import COMPILERS, OTHER_COMPILERS, assert_bits, cases
from long_runs import in_long_runs

import numpy_plugin as npp

N = 70


def is_table(f, array):
    return f in (place_of, nearest) and array.shape != (N,)


def call(f, arrays, choose=lambda array: array):
    """Call with all arrays but shared tables chosen from; a tuple of results."""
    with np.errstate(all="ignore"):
        results = f(*(a if is_table(f, a) else choose(a) for a in arrays))
    return results if isinstance(results, tuple) else (results,)


def one_by_one(f, arrays):
    """Return the results of calls of one element each, which are shorter than a block."""
    single = [call(f, arrays, lambda a, i=i: a[i : i + 1]) for i in range(N)]
    return tuple(np.concatenate(each) for each in zip(*single, strict=True))


def flags_one_by_one(f, arrays):
    found = set()
    for i in range(N):
        with collected_kinds() as kinds:
            f(*(a if is_table(f, a) else a[i : i + 1] for a in arrays))
        found |= kinds
    return found


def assert_same(found, expected, choose=lambda array: array):
    """Compare bit for bit, except for which nan it is."""
    for one, other in zip(found, map(choose, expected), strict=True):
        assert_bits(one, other)


@pytest.mark.parametrize(("f", "types"), cases(KERNELS))
def test_lengths_and_strides(f, types):
    assert "lanes(" in npp.inspect(f).source("cpu")
    arrays = operands(f, types, N)
    ones = one_by_one(f, arrays)
    for n in range(N + 1):
        assert_same(call(f, arrays, lambda a, n=n: a[:n]), ones, lambda a, n=n: a[:n])
    for step in (2, -1, -2):
        assert_same(call(f, arrays, lambda a, s=step: a[::s]), ones, lambda a, s=step: a[::s])
    same = [5] * 40
    assert_same(call(f, arrays, lambda a: np.broadcast_to(a[5], (40, *a.shape[1:]))),
                ones, lambda a: a[same])  # fmt: skip


@pytest.mark.parametrize(("f", "types"), cases(KERNELS))
def test_layouts_of_core_dimensions(f, types):
    arrays = operands(f, types, N)
    ones = one_by_one(f, arrays)
    spread = [np.repeat(a, 3, axis=-1)[..., ::3] for a in arrays]
    assert_same(call(f, spread), ones)
    turned = [np.asfortranarray(a) for a in arrays]
    assert_same(call(f, turned), ones)
    backward = [a[..., ::-1].copy()[..., ::-1] for a in arrays]
    assert_same(call(f, backward), ones)
    results = tuple(np.empty(a.shape[::-1], a.dtype).T for a in ones)
    with np.errstate(all="ignore"):
        f(*arrays, out=results)
    assert_same(results, ones)


@pytest.mark.parametrize(("f", "types"), cases(KERNELS))
def test_two_loop_dimensions(f, types):
    arrays = operands(f, types, N)
    ones = one_by_one(f, arrays)
    grid = (2, N // 2)
    found = call(f, arrays, lambda a: a.reshape(*grid, *a.shape[1:]))
    assert_same(found, ones, lambda a: a.reshape(*grid, *a.shape[1:]))


@pytest.mark.parametrize(("f", "types"), cases(KERNELS))
def test_flags(f, types):
    arrays = operands(f, types, N)
    with collected_kinds() as kinds:
        f(*arrays)
    assert kinds == flags_one_by_one(f, arrays)


@pytest.mark.parametrize(("f", "types"), cases(KERNELS))
def test_ordinary_values_raise_no_flag(f, types):
    arrays = operands(f, types, N, specials=False)
    with np.errstate(all="raise", under="ignore"):
        f(*arrays)


def test_one_element_that_divides_by_zero():
    v = np.ones((N, 2))
    v[37] = 0, 5
    with np.errstate(all="raise"):
        ratio(v)
    v[37] = 1e-300, 1e-300
    big = v * 1e300
    big[11] = 1e300, 1e-300
    with collected_kinds() as kinds:
        result = ratio(big)
    assert kinds == {"overflow"}
    assert np.isinf(result[11])
    assert np.isfinite(np.delete(result, 11)).all()


@pytest.mark.parametrize("first", [0, 1, 15, 16, 40, 63])
@pytest.mark.parametrize("n_raising", [1, 64])
def test_first_element_that_raises(first, n_raising):
    v = np.ones((64, 2))
    v[first : first + n_raising, 1] = -2
    v[first] = 0.25, -1
    with pytest.raises(ValueError, match=r"0.25 over -1.0") as caught:
        ratio(v)
    assert f"for element {first}," in caught.value.__notes__[0]


@pytest.mark.parametrize("dtype", core_kernels.REAL)
def test_inputs_that_are_changed(dtype):
    random = np.random.default_rng(0)
    x = random.normal(size=N).astype(dtype)
    x[::7] = 0, *[np.inf] * (len(x[::7]) - 1)
    state = random.normal(size=(N, 3)).astype(dtype)
    expected = state.copy()
    with np.errstate(all="ignore"):
        results = [stepped(expected[i : i + 1], x[i : i + 1])[0] for i in range(N)]
        assert_same((stepped(state, x), state), (np.array(results, dtype), expected))


def test_operands_that_overlap():
    v = np.random.default_rng(0).normal(size=(N + 1, 3))
    v[::4] = 0
    expected = unit(v[:-1].copy())
    own = v[:-1].copy()
    unit(own, out=own)
    assert np.array_equal(own, expected)
    unit(v[:-1], out=v[1:])
    assert np.array_equal(v[1:], expected)


def test_elements_shared_by_threads():
    v = np.random.default_rng(0).normal(size=(300_001, 3))
    v[::5] = 0
    signatures, layout = DECLARED["unit"]
    shared = npp.guvectorize(signatures, layout, target="parallel")(unit.__wrapped__)
    assert np.array_equal(shared(v), unit(v))


def test_tables_for_each_element_and_of_no_element():
    random = np.random.default_rng(0)
    tables = np.sort(random.normal(size=(N, 9)))
    x = random.normal(size=N)
    expected = [np.searchsorted(table, value) for table, value in zip(tables, x, strict=True)]
    assert np.array_equal(place_of(tables, x), expected)
    assert np.array_equal(place_of(tables[:, :0], x), [0] * N)
    assert np.array_equal(nearest(tables[:, :0], tables[:, :0], x), [0] * N)


@pytest.fixture(scope="module")
def first_types():
    """Each kernel with operands of its first types and the results of one element at a time."""
    arrays = [operands(f, f.types[0], N) for f in KERNELS]
    return [(f, each, one_by_one(f, each)) for f, each in zip(KERNELS, arrays, strict=True)]


@pytest.mark.parametrize("compiler", [*COMPILERS, *in_long_runs(*OTHER_COMPILERS)])
def test_other_machines_and_compilers(monkeypatch, first_types, compiler):
    if not shutil.which(compiler.split()[0]):
        pytest.skip(f"no {compiler.split()[0]} in this machine")
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", compiler)
    for f, each, ones in first_types:
        signatures, layout = DECLARED[f.__name__]
        again = npp.guvectorize(signatures, layout, target="cpu")(f.__wrapped__)
        assert_same(call(again, each), ones)
        with collected_kinds() as kinds:
            again(*each)
        assert kinds == flags_one_by_one(again, each)
