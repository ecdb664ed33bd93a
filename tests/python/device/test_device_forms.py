"""Calls in every launch form of elementwise kernels against the same calls on the host."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from long_runs import in_long_runs, one_in
from machines.device_under_test import device_under_test, needs_simulator

import numpy_plugin as npp
from numpy_plugin import _core, cuda

pytestmark = pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")

DTYPES = ["bool", "int8", "float16", "bfloat16", "float32", "float64", "complex128"]
# A dtype of each size; others of the same size are in long runs.
EACH_SIZE = ["int8", "bfloat16", "float32", "float64", "complex128"]
OTHER_DTYPES = ["bool", "float16"]


def each_dtype(n, *values, dtypes=EACH_SIZE):
    """Return the dtypes combined with other parameters, one in n for the default run."""
    others = itertools.product(OTHER_DTYPES, *values)
    return [*one_in(n, dtypes, *values), *in_long_runs(*others)]


# Elements for tiles of vectors on all multiprocessors, whatever the dtype.
MANY = 132 * 4096 + 77


@pytest.fixture(scope="module", autouse=True)
def device():
    with device_under_test(memory="256 MiB") as made, cuda.errors("immediate"):
        if made.arch != "sm_90":
            pytest.skip("the expected forms are those of sm_90")
        yield made


@npp.vectorize([f"{name}({name}, {name})" for name in DTYPES], target="cpu")
def blend(x, y):
    return x * y + x


TWO = npp.vectorize(
    ["float32, int8(float32, int8)"],
    name="two",
    args="x, y",
    outs="q, r",
    body="q = x * x; r = y + 3;",
    target="cpu",
)


@npp.vectorize(["float32(float32, float32)"], target="cpu")
def positive(x, y):
    if x < 0:
        raise ValueError(f"{x} is negative")
    return x + y


def dtype_of(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, name))


def some(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).integers(-9, 10, shape)
    return (values % 2 == 0 if dtype == "bool" else values).astype(dtype_of(dtype))


def strided_tiles(dtype: str) -> int:
    """Elements for tiles of the strided form on all multiprocessors, and a few more."""
    return 132 * 128 * (48 if dtype_of(dtype).itemsize <= 2 else 8) + 131


class Call:
    """One call on the host and its twin on the device, made of views of the same buffers."""

    def __init__(self, *buffers: np.ndarray) -> None:
        self.host = [buffer.copy() for buffer in buffers]
        self.device = [cuda.to_device(buffer) for buffer in buffers]

    def check(self, call: Callable[..., Any], form: str, ufunc: np.ufunc) -> None:
        """The form is the expected one, and all buffers are equal afterwards, byte by byte."""
        args, kwargs = call(*self.device)
        found, reason, _, _, vector_bytes, *_ = _core.explain_launch(ufunc, args, kwargs)
        assert found + (" vectors" if vector_bytes else "") == form, reason
        ufunc(*args, **kwargs)
        args, kwargs = call(*self.host)
        with np.errstate(all="ignore"):
            ufunc(*args, **kwargs)
        for on_device, on_host in zip(self.device, self.host, strict=True):
            assert on_device.copy_to_host().tobytes() == on_host.tobytes()


# ---- masks


def masks(n: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(n)
    return {
        "all": np.ones(n, bool),
        "none": np.zeros(n, bool),
        "random": random.integers(0, 2, n).astype(bool),
        "blocks": np.repeat(random.integers(0, 2, n // 8 + 1), 8)[:n].astype(bool),
        "other bytes": (random.integers(0, 3, n) * 2).astype("u1").view(bool),
    }


@pytest.mark.parametrize(("dtype", "n"), each_dtype(2, [MANY, 1, 127]))
def test_a_mask_keeps_vectors(dtype, n):
    x, y, out = (some((n,), dtype, seed) for seed in range(3))
    # A complex128 is a vector of its own.
    form = "contiguous vectors" if n == MANY and dtype != "complex128" else "contiguous"
    for mask in masks(n).values():
        Call(x, y, out, mask).check(
            lambda x, y, out, m: ((x, y), {"out": out, "where": m}), form, blend
        )


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("which", ["all", "random", "blocks"])
def test_a_mask_of_what_is_written_over(dtype, which):
    mask = masks(MANY)[which]
    x, y = some((MANY,), dtype, 1), some((MANY,), dtype, 2)
    Call(x, y, mask).check(
        lambda x, y, m: ((x, y), {"out": x, "where": m}), "contiguous vectors", blend
    )
    # Shifted outputs are computed in temporary memory.
    Call(x, y, mask).check(
        lambda x, y, m: ((x[:-1], y[1:]), {"out": x[1:], "where": m[1:]}), "strided", blend
    )


def test_a_mask_that_is_the_output():
    flip = npp.vectorize(["bool(bool)"], args="x", body="return !x;", name="flip", target="cpu")
    Call(masks(MANY)["random"]).check(
        lambda m: ((m,), {"out": m, "where": m}), "contiguous vectors", flip
    )


@pytest.mark.parametrize("which", ["all", "none", "random", "blocks"])
def test_a_mask_of_two_outputs(which):
    x, q = some((MANY,), "float32", 1), some((MANY,), "float32", 2)
    y, r = some((MANY,), "int8", 3), some((MANY,), "int8", 4)
    Call(x, y, q, r, masks(MANY)[which]).check(
        lambda x, y, q, r, m: ((x, y), {"out": (q, r), "where": m}), "contiguous vectors", TWO
    )


@pytest.mark.parametrize(("dtype", "has_one_per_row"), each_dtype(2, [False, True]))
def test_masked_rows(dtype, has_one_per_row):
    shape = (5, 8192)
    x, y, out = (some(shape, dtype, seed) for seed in range(3))
    mask = masks(shape[0] * shape[1])["random"].reshape(shape)
    mask = mask[:, :1].copy() if has_one_per_row else mask
    Call(x, y[0], out, mask).check(
        lambda x, y, out, m: ((x, y), {"out": out, "where": m}),
        "rows" if dtype == "complex128" else "rows vectors",
        blend,
    )


def test_what_is_masked_out_raises_nothing():
    x = cuda.to_device(np.where(np.arange(MANY) % 3 == 0, -1, 1).astype("f4"))
    mask = np.arange(MANY) % 3 != 0
    out = cuda.to_device(np.full(MANY, 7, "f4"))
    positive(x, 1.0, out=out, where=cuda.to_device(mask))
    np.testing.assert_array_equal(out.copy_to_host(), np.where(mask, 2, 7).astype("f4"))
    mask[MANY // 3 * 3] = True
    with pytest.raises(ValueError, match="is negative"):
        positive(x, 1.0, out=out, where=cuda.to_device(mask))


# ---- strides


@pytest.mark.parametrize(("dtype", "n"), each_dtype(2, ["tiles", 2, 127]))
def test_strides_of_one_dimension(dtype, n):
    n = strided_tiles(dtype) if n == "tiles" else n
    x, y, out = (some((3 * n,), dtype, seed) for seed in range(3))
    Call(x, y, out).check(
        lambda x, y, out: ((x[::3], y[: 2 * n : 2][::-1]), {"out": out[1 : 1 + n]}),
        "strided",
        blend,
    )
    # An operand that is passed by value, and one that is broadcast.
    value = dtype_of(dtype).type(1)
    Call(x, out).check(
        lambda x, out: ((value, x[::3]), {"out": out[: 2 * n : 2]}), "strided", blend
    )
    Call(x, out).check(lambda x, out: ((x[:1], x[::3]), {"out": out[::3]}), "strided", blend)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_unaligned_views(dtype):
    n = strided_tiles(dtype)
    x, y, out = (some((n + 3,), dtype, seed) for seed in range(3))
    Call(x, y, out).check(
        lambda x, y, out: ((x[1:-2], y[2:-1]), {"out": out[3:]}), "strided", blend
    )
    Call(x).check(lambda x: ((x[1:], x[1:]), {"out": x[1:]}), "strided", blend)
    Call(x).check(lambda x: ((x[1:], x[:-1]), {"out": x[1:]}), "strided", blend)
    Call(x).check(lambda x: ((x[1:], x[:0:-1]), {"out": x[:0:-1]}), "strided", blend)


@pytest.mark.parametrize("which", ["all", "none", "random", "other bytes"])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_masked_strides(dtype, which):
    n = strided_tiles(dtype)
    x, y, out = (some((2 * n,), dtype, seed) for seed in range(3))
    Call(x, y, out, masks(n)[which]).check(
        lambda x, y, out, m: ((x[::2], y[1::2]), {"out": out[::2], "where": m[::-1]}),
        "strided",
        blend,
    )


@pytest.mark.parametrize(
    ("dtype", "ndim", "is_masked"),
    one_in(3, ["int8", "float32", "complex128"], [2, 4, 5, 8, 9, 10], [False, True]),
)
def test_strides_of_several_dimensions(dtype, ndim, is_masked):
    shape = (strided_tiles(dtype) // 2 ** (ndim - 1) + 1, *(2,) * (ndim - 1))
    x, y, out = (some(shape, dtype, seed) for seed in range(3))
    mask = masks(x.size)["random"].reshape(shape)

    def call(x, y, out, m):
        # No two dimensions can be merged: neighbors swap in one operand, and every second one
        # is broadcast in another.
        order = [axis ^ 1 if axis ^ 1 < ndim else axis for axis in range(ndim)]
        swapped = x.reshape(tuple(shape[axis] for axis in order)).transpose(*order)
        drops = tuple(slice(0, 1) if axis % 2 else slice(None) for axis in range(ndim))
        return (swapped, y[drops]), {"out": out, "where": m if is_masked else True}

    Call(x, y, out, mask).check(call, "strided", blend)


def test_strides_of_two_outputs():
    n = 132 * 128 * 8 + 5
    x, q = some((2 * n,), "float32", 1), some((2 * n,), "float32", 2)
    y, r = some((2 * n,), "int8", 3), some((2 * n,), "int8", 4)
    Call(x, y, q, r).check(
        lambda x, y, q, r: ((x[::2], y[1::2]), {"out": (q[::-2], r[::2])}), "strided", TWO
    )


def test_the_first_strided_element_that_raises():
    values = np.ones(2 * MANY, "f4")
    values[2 * (MANY - 40)] = -5
    values[2 * (MANY - 3)] = -7
    with pytest.raises(ValueError, match="is negative"):
        positive(cuda.to_device(values)[::2], 1.0)
    assert set(positive(cuda.to_device(values)[1::2], 1.0).copy_to_host()) == {2}


# ---- short rows


def wide_rows(array: np.ndarray) -> np.ndarray:
    """The first 96 elements of rows of 128, which begin at multiples of a vector."""
    return array.reshape(-1, 128)[:, :96]


@pytest.mark.parametrize(
    ("dtype", "n_rows", "is_masked"),
    each_dtype(2, [6000, 2, 33], [False, True], dtypes=EACH_SIZE[:-1]),
)
def test_short_rows(dtype, n_rows, is_masked):
    x, y, out = (some((128 * n_rows,), dtype, seed) for seed in range(3))
    mask = masks(128 * n_rows)["random"]

    def where(m):
        return m if is_masked else True

    # Padded rows; one row for all; one element per row; a value.
    value = dtype_of(dtype).type(1)
    for second in (wide_rows, lambda y: y[:96], lambda y: y[:n_rows, None], lambda y: value):
        Call(x, y, out, mask).check(
            lambda x, y, out, m, second=second: (
                (wide_rows(x), second(y)),
                {"out": wide_rows(out), "where": where(wide_rows(m))},
            ),
            "short_rows vectors",
            blend,
        )
    # Over an input; with a mask of rows; upside down.
    Call(x, y, mask).check(
        lambda x, y, m: (
            (wide_rows(x), wide_rows(y)[::-1]),
            {"out": wide_rows(x), "where": where(m[:n_rows, None])},
        ),
        "short_rows vectors",
        blend,
    )


@pytest.mark.parametrize("length", [4, 1000, 1024 + 512, 8 * 1024 + 4])
def test_rows_near_the_limits_of_a_tile(length):
    x, y = some((300_000 // length, length), "float32", 1), some((length,), "float32", 2)
    out = some(x.shape, "float32", 3)
    form = "rows vectors" if length > 8 * 1024 else "short_rows vectors"
    Call(x, y, out).check(lambda x, y, out: ((x, y), {"out": out}), form, blend)


def test_short_rows_in_many_dimensions():
    shape = (3, 2, 2, 2, 2, 2, 2, 2, 2, 16)
    x, y, out = (some(shape, "float32", seed) for seed in range(3))
    order = [0, *range(8, 0, -1), 9]
    Call(x, y, out).check(
        lambda x, y, out: ((x.transpose(order), y), {"out": out}), "short_rows vectors", blend
    )


def test_rows_of_odd_lengths_are_not_vectors():
    x, y, out = (some((500, 97), "float32", seed) for seed in range(3))
    Call(x, y, out).check(lambda x, y, out: ((x, y[0]), {"out": out}), "strided", blend)


def test_short_rows_of_two_outputs():
    x, q = some((700, 96), "float32", 1), some((700, 96), "float32", 2)
    y, r = some((96,), "int8", 3), some((700, 96), "int8", 4)
    Call(x, y, q, r).check(lambda x, y, q, r: ((x, y), {"out": (q, r)}), "short_rows vectors", TWO)


# ---- transposed operands

PLANE = (700, 610)  # of partial tiles on two sides, whatever the dtype


@pytest.mark.parametrize(("dtype", "is_masked"), each_dtype(2, [False, True]))
def test_transposed_operands(dtype, is_masked):
    x, y, out = (some((PLANE[0] * PLANE[1],), dtype, seed) for seed in range(3))
    mask = masks(x.size)["random"]

    def where(m):
        return m if is_masked else True

    value = dtype_of(dtype).type(1)
    for second in (
        lambda y: y.reshape(PLANE),
        lambda y: y.reshape(PLANE[::-1]).T,
        lambda y: y[: PLANE[1]],
        lambda y: y[: PLANE[0], None],
        lambda y: y.reshape(PLANE)[::-1, ::-1],
        lambda y: value,
    ):
        Call(x, y, out, mask).check(
            lambda x, y, out, m, second=second: (
                (x.reshape(PLANE[::-1]).T, second(y)),
                {"out": out.reshape(PLANE), "where": where(m.reshape(PLANE))},
            ),
            "transposed",
            blend,
        )


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_transposed_masks_and_outputs_over_inputs(dtype):
    x, y, out = (some(PLANE, dtype, seed) for seed in range(3))
    mask = masks(x.size)["random"].reshape(PLANE[::-1])
    Call(x, y, mask).check(lambda x, y, m: ((x, y), {"out": x, "where": m.T}), "transposed", blend)
    square = some((700, 700), dtype, 4)
    # The output is an input, and its transpose another one: computed in temporary memory.
    Call(square).check(lambda x: ((x, x.T), {"out": x}), "transposed", blend)
    Call(out, y.T.copy()).check(lambda x, y: ((x, y.T), {"out": x}), "transposed", blend)


@pytest.mark.parametrize("shape", [(32, 33), (16, 9000), (9000, 64), (520, 257)])
def test_planes_near_the_limits_of_a_tile(shape):
    n = -(-140_000 // (shape[0] * shape[1]))
    x, y = some((n, *shape[::-1]), "float32", 1), some((n, *shape), "float32", 2)
    out = some((n, *shape), "float32", 3)
    Call(x, y, out).check(
        lambda x, y, out: ((x.transpose(0, 2, 1), y), {"out": out}), "transposed", blend
    )


def test_planes_in_many_dimensions():
    shape = (2, 2, 2, 2, 2, 2, 2, 2, 40, 33)
    x, y, out = (some(shape, "float32", seed) for seed in range(3))
    order = [7, 6, 5, 4, 3, 2, 1, 0]

    def call(x, y, out):
        turned = x.reshape(*shape[:8], 33, 40).transpose(*order, 9, 8)
        return (turned, y), {"out": out}

    Call(x, y, out).check(call, "transposed", blend)


def test_a_transposed_operand_that_is_another_output():
    x, q = some(PLANE, "float32", 1), some(PLANE, "float32", 2)
    y, r = some(PLANE, "int8", 3), some(PLANE[::-1], "int8", 4)
    Call(x, y, q, r).check(lambda x, y, q, r: ((x, r.T), {"out": (q, y)}), "transposed", TWO)
    # Outputs that are contiguous along different dimensions.
    Call(x, y, q, r).check(lambda x, y, q, r: ((x, r.T), {"out": (q, r.T)}), "strided", TWO)


def test_transposed_elements_that_raise():
    values = np.ones(PLANE[::-1], "f4")
    positive(cuda.to_device(values).T, cuda.to_device(np.ones(PLANE, "f4")))
    values[3, 690] = -5
    with pytest.raises(ValueError, match="-5"):
        positive(cuda.to_device(values).T, cuda.to_device(np.ones(PLANE, "f4")))


@needs_simulator
def test_transposed_accesses_are_coalesced(device):
    x, y = (
        cuda.to_device(some((512, 640), "float32", 1)),
        cuda.to_device(some((640, 512), "float32", 2)),
    )
    out = cuda.empty((640, 512), "float32")
    before = device.counters.transactions
    blend(x.T, y, out=out)
    device.synchronize()
    # 32 bytes each; warps read and write whole ones.
    assert device.counters.transactions - before == 3 * 4 * 512 * 640 // 32


def test_kernels_without_room_for_tiles():
    wide = npp.vectorize(
        ["complex128(complex128, complex128, complex128)"],
        args="a, b, c",
        body="return a + b + c;",
        target="cpu",
    )
    with pytest.raises(ValueError, match="is not transposed, because its operands are too large"):
        npp.inspect(wide).ptx(form="transposed")
    x, y = some(PLANE[::-1], "complex128", 1), some(PLANE, "complex128", 2)
    Call(x, y).check(lambda x, y: ((x.T, y, y), {"out": y}), "strided", wide)


def test_narrow_planes_are_strided():
    x, y = some((15, 20_000), "float32", 1), some((20_000, 15), "float32", 2)
    Call(x, y).check(lambda x, y: ((x.T, y), {"out": y}), "strided", blend)


# ---- vectors of 32 bytes


@pytest.mark.parametrize(
    ("dtype", "which"), one_in(2, ["float32", "bfloat16", "float64"], ["", "all", "random"])
)
def test_long_vectors(dtype, which):
    half = 16 // dtype_of(dtype).itemsize  # of a vector's elements
    x, y, out = (some((MANY,), dtype, seed) for seed in range(3))
    buffers = [x, y, out] + ([masks(MANY)[which]] if which else [])
    with cuda.simulator("sm_100", memory="64 MiB"):
        # Where an operand is aligned to 16 bytes only, all have vectors of 16.
        for shift, n_bytes in ((0, 32), (half, 16)):

            def call(x, y, out, *mask, shift=shift):
                n = MANY - shift
                where = {"where": mask[0][:n]} if mask else {}
                return (x[shift:], y[:n]), {"out": out[:n], **where}

            made = Call(*buffers)
            args, kwargs = call(*made.device)
            assert _core.explain_launch(blend, args, kwargs)[4] == n_bytes
            made.check(call, "contiguous vectors", blend)


def test_long_vectors_of_complex_numbers_and_rows():
    with cuda.simulator("sm_100", memory="64 MiB"):
        x, y = some((MANY,), "complex128", 1), some((MANY,), "complex128", 2)
        Call(x, y).check(lambda x, y: ((x, y), {"out": x}), "contiguous vectors", blend)
        for length, n_bytes in ((96, 32), (100, 16)):
            x, y = some((300, length), "float32", 1), some((length,), "float32", 2)
            made = Call(x, y)
            device_x, device_y = made.device
            assert _core.explain_launch(blend, (device_x, device_y), {})[4] == n_bytes
            made.check(lambda x, y: ((x, y), {"out": x}), "short_rows vectors", blend)
