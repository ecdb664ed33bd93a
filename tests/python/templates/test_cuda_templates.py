"""The device kernels' launch contract and results, on the host; and what NVRTC makes of them."""

import ctypes
import math
import pathlib
import re
import struct
import subprocess
import sysconfig

import numpy as np
import pytest
from long_runs import in_long_runs

ROOT = pathlib.Path(__file__).parents[3]
GOLDEN = sorted((ROOT / "tests/cpp/emit/source/golden").glob("*.cuda.cpp"))
THREADS, MAX_DIMENSIONS = 128, 64
WIDTH, VECTORS, ITEMS, MANY_ITEMS = 2, 2, 4, 12
TILE = THREADS * WIDTH * VECTORS
ROWS_VECTORS = 4
ROWS_TILE = THREADS * WIDTH * ROWS_VECTORS

SOURCE = f"""
#include "cuda_on_host.hpp"
#include "npp/cuda/cast.hpp"
#include "npp/cuda/contiguous.hpp"
#include "npp/cuda/generalized.hpp"
#include "npp/cuda/packed.hpp"
#include "npp/cuda/rows.hpp"
#include "npp/cuda/strided.hpp"

struct Mixed {{
  using Inputs = npp::Types<float, double, npp::int8>;
  using Outputs = npp::Types<double, bool>;
  static constexpr bool kHasVectorMath = false;
  static constexpr bool kHasBranches = false;
  static npp::Tuple<double, bool> call(float a, double b, npp::int8 c) {{
    return {{a * b + c, c > 0}};
  }}
}};
struct Product {{
  using Vector = npp::Array<const double, npp::Dim<0>>;
  using Operands = npp::Types<Vector, npp::Array<const double, npp::Dim<0>, npp::Dim<1, 2>>, double,
                              npp::Array<double, npp::Dim<1, 2>>>;
  static constexpr int kNumberOfInputs = 3;
  static constexpr int kNumberOfNames = 2;
  static void call(Vector a, npp::Array<const double, npp::Dim<0>, npp::Dim<1, 2>> b, double w,
                   npp::Array<double, npp::Dim<1, 2>> out) {{
    for (int j = 0; j < out.shape(0); ++j) {{
      double sum = 0;
      for (int i = 0; i < a.shape(0); ++i) sum += a.at(i) * b.at(i, j);
      out.at(j) = w * sum;
    }}
  }}
}};
static int n_calls = 0;
struct Counted : Mixed {{
  static auto call(float a, double b, npp::int8 c) {{
    ++n_calls;
    return Mixed::call(a, b, c);
  }}
}};
struct Branches : Counted {{
  static constexpr bool kHasBranches = true;
}};
using Cast = npp::CastKernel<Mixed, npp::Types<npp::int16, float, double>,
                             npp::Types<float, npp::int32>>;
struct Sum {{
  using Inputs = npp::Types<npp::int8, npp::int8>;
  using Outputs = npp::Types<npp::int8>;
  static constexpr bool kHasVectorMath = false;
  static constexpr bool kHasBranches = false;
  static npp::int8 call(npp::int8 x, npp::int8 y) {{ return x - (y + 3); }}
  static npp::uint32 call_packed(npp::uint32 x, npp::uint32 y) {{
    return npp::subtract_packed<8>(x, npp::add_packed<8>(y, npp::in_each_element<8>(3)));
  }}
}};
using CastSum = npp::CastKernel<Sum, npp::Types<double, bool>, npp::Types<npp::complex64>>;
NPP_CONTIGUOUS_KERNEL(contiguous, Mixed, npp::Narrow, npp::Mask::kNone, {WIDTH}, {VECTORS})
NPP_CONTIGUOUS_KERNEL(contiguous_wide, Mixed, npp::Wide, npp::Mask::kNone, {WIDTH}, {VECTORS})
NPP_CONTIGUOUS_KERNEL(contiguous_cast_sum, CastSum, npp::Narrow, npp::Mask::kNone, {WIDTH},
                      {VECTORS})
NPP_CONTIGUOUS_KERNEL(contiguous_cast, Cast, npp::Narrow, npp::Mask::kNone, {WIDTH}, {VECTORS})
NPP_CONTIGUOUS_KERNEL(contiguous_packed, Sum, npp::Narrow, npp::Mask::kNone, 16, 2)
NPP_CONTIGUOUS_KERNEL(masked_contiguous, Counted, npp::Narrow, npp::Mask::kGiven, {WIDTH},
                      {VECTORS})
NPP_CONTIGUOUS_KERNEL(masked_contiguous_branches, Branches, npp::Wide, npp::Mask::kGiven, {WIDTH},
                      {VECTORS})
NPP_CONTIGUOUS_KERNEL(masked_packed, Sum, npp::Narrow, npp::Mask::kGiven, 16, 2)
NPP_ROWS_KERNEL(rows, Mixed, npp::Narrow, npp::Mask::kNone, 64, {WIDTH}, {ROWS_VECTORS})
NPP_ROWS_KERNEL(rows_wide, Mixed, npp::Wide, npp::Mask::kNone, 64, {WIDTH}, {ROWS_VECTORS})
NPP_ROWS_KERNEL(masked_rows, Counted, npp::Narrow, npp::Mask::kGiven, 64, {WIDTH}, {ROWS_VECTORS})
NPP_STRIDED_KERNEL(strided, Mixed, npp::Narrow, npp::Mask::kNone, 64, {ITEMS})
NPP_STRIDED_KERNEL(strided_wide, Mixed, npp::Wide, npp::Mask::kNone, 64, {ITEMS})
NPP_STRIDED_KERNEL(batches, Mixed, npp::Narrow, npp::Mask::kNone, 8, {MANY_ITEMS})
NPP_STRIDED_KERNEL(line, Mixed, npp::Narrow, npp::Mask::kNone, 1, {MANY_ITEMS})
NPP_STRIDED_KERNEL(line_branches, Branches, npp::Wide, npp::Mask::kNone, 1, {MANY_ITEMS})
NPP_STRIDED_KERNEL(masked, Counted, npp::Narrow, npp::Mask::kGiven, 64, {ITEMS})
NPP_STRIDED_KERNEL(masked_wide, Counted, npp::Wide, npp::Mask::kGiven, 64, {ITEMS})
NPP_STRIDED_KERNEL(masked_batches, Counted, npp::Wide, npp::Mask::kGiven, 8, {MANY_ITEMS})
NPP_STRIDED_KERNEL(masked_line, Counted, npp::Narrow, npp::Mask::kGiven, 1, {MANY_ITEMS})
NPP_GENERALIZED_KERNEL(generalized, Product, npp::Narrow)

#define LAUNCHER(name)                                                                        \\
  extern "C" void launch_##name(const void* arguments, unsigned grid, unsigned block) {{       \\
    launch(name, arguments, grid, block);                                                     \\
  }}
LAUNCHER(contiguous)
LAUNCHER(contiguous_wide)
LAUNCHER(contiguous_cast)
LAUNCHER(contiguous_cast_sum)
LAUNCHER(contiguous_packed)
LAUNCHER(masked_contiguous)
LAUNCHER(masked_contiguous_branches)
LAUNCHER(masked_packed)
LAUNCHER(masked_rows)
LAUNCHER(rows)
LAUNCHER(rows_wide)
LAUNCHER(strided)
LAUNCHER(strided_wide)
LAUNCHER(batches)
LAUNCHER(line)
LAUNCHER(line_branches)
LAUNCHER(masked_batches)
LAUNCHER(masked_line)
LAUNCHER(masked)
LAUNCHER(masked_wide)
LAUNCHER(generalized)
extern "C" int take_calls() {{
  const int result = n_calls;
  n_calls = 0;
  return result;
}}
extern "C" unsigned divide(unsigned dividend, unsigned divisor, unsigned magic, unsigned shift) {{
  return npp::divide(dividend, {{divisor, magic, shift}});
}}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    directory = tmp_path_factory.mktemp("cuda_on_host")
    (directory / "kernels.cpp").write_text(SOURCE)
    command = ["g++", "-std=c++20", "-Og", "-fPIC", "-shared", "-fsanitize=undefined"]
    command += ["-fno-sanitize-recover", "-DNPP_GLIBC_MINOR=36", f"-I{ROOT / 'templates'}"]
    command += [f"-I{ROOT / 'tests/python/helpers'}", "-o", "kernels.so", "kernels.cpp"]
    subprocess.run(command, cwd=directory, check=True)
    library = ctypes.CDLL(str(directory / "kernels.so"))
    library.divide.restype = ctypes.c_uint
    return library


# ---- the contract of cuda/arguments.hpp, implemented independently


def operand(array, is_value):
    if is_value:
        return array.tobytes().ljust(16, b"\0")
    return struct.pack("QQ", array.__array_interface__["data"][0], 0)


def bits(flags):
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def divisor(size):
    shift = (size - 1).bit_length()
    return size, (2**32 * (2**shift - size)) // size + 1, shift


def run(function, arguments, grid, block=THREADS):
    aligned = ctypes.create_string_buffer(len(arguments) + 16)
    address = -(-ctypes.addressof(aligned) // 16) * 16
    ctypes.memmove(address, arguments, len(arguments))
    function(ctypes.c_void_p(address), grid, block)


def contiguous_arguments(operands, n, full_tiles, scalars=(), values=()):
    mask, by_value = bits(scalars), bits(values)
    packed = b"".join(operand(array, by_value >> i & 1) for i, array in enumerate(operands))
    plain_tiles = 0 if mask else full_tiles
    return packed + struct.pack("QQQII", mask, by_value, n, full_tiles, plain_tiles)


def dimensions(operands, shape, by_value, *, is_wide, limit=MAX_DIMENSIONS):
    """Sizes and strides of loop dimensions, innermost last, which come first in each operand."""
    stride = "q" if is_wide else "i"
    packed = b""
    for axis in range(limit):
        for i, array in enumerate(operands):
            is_there = axis < len(shape) and not by_value >> i & 1
            packed += struct.pack(stride, array.strides[len(shape) - 1 - axis] if is_there else 0)
    return packed


def divisors(shape, limit=MAX_DIMENSIONS):
    sizes = [divisor(size) for size in reversed(shape)] or [divisor(1)]
    sizes += [(0, 0, 0)] * (limit - len(sizes))
    return b"".join(struct.pack("III", *size) for size in sizes)


def padded(packed):
    return packed.ljust(-(-len(packed) // 16) * 16, b"\0")


def rows_arguments(operands, full_tiles, values=(), *, is_wide=False):
    """Of operands whose last dimension is the row's."""
    *shape, length = np.broadcast_shapes(*(array.shape for array in operands))
    by_value = bits(values)
    packed = b"".join(operand(array, by_value >> i & 1) for i, array in enumerate(operands))
    scalars = bits(array.shape[-1] != length for array in operands)
    row_blocks = full_tiles + ceil_divide(length - full_tiles * ROWS_TILE, ROWS_TILE)
    packed += struct.pack("QQQII", scalars, by_value, length, full_tiles, max(1, len(shape)))
    packed += struct.pack("IIII", *divisor(row_blocks), 0) + divisors(shape)
    packed += dimensions(operands, shape, by_value, is_wide=is_wide)
    assert len(packed) == (528 if is_wide else 272) * len(operands) + 816
    return packed, math.prod(shape) * row_blocks


def strided_arguments(
    operands, shape, values=(), *, is_wide=False, limit=MAX_DIMENSIONS, full_tiles=0
):
    """Of operands whose loop dimensions, innermost last, come first."""
    by_value = bits(values)
    packed = b"".join(operand(array, by_value >> i & 1) for i, array in enumerate(operands))
    packed += struct.pack("QQII", by_value, math.prod(shape), max(1, len(shape)), full_tiles)
    if is_wide:
        sizes = [*reversed(shape), *[1] * (limit - len(shape))]
        packed += struct.pack(f"{limit}Q", *sizes)
    else:
        packed += divisors(shape, limit)
    return padded(packed + dimensions(operands, shape, by_value, is_wide=is_wide, limit=limit))


def ceil_divide(a, b):
    return -(-a // b)


# ---- results


def inputs(shape, seed=0):
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=shape).astype("f4"),
        rng.normal(size=shape),
        rng.integers(-9, 9, size=shape).astype("i1"),
    ]


def expected(a, b, c):
    return np.float64(a) * b + c, c > 0


def guarded(n, dtype):
    """A buffer for n elements with others behind them, which no kernel may change."""
    return np.full(n + 64, 1, dtype=dtype)


@pytest.mark.parametrize("n", [1, 127, 128, 129, TILE - 1, TILE, TILE + 1, 3 * TILE + 5])
@pytest.mark.parametrize("has_tiles", [False, True])
@pytest.mark.parametrize("scalars", [(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 1)])
@pytest.mark.parametrize("is_value", [False, True])
@pytest.mark.parametrize("name", ["contiguous", "contiguous_wide"])
def test_contiguous_kernel_computes_every_element(kernels, name, n, has_tiles, scalars, is_value):
    operands = [x[:1] if scalar else x for x, scalar in zip(inputs(n), scalars, strict=True)]
    outs = [guarded(n, "f8"), guarded(n, bool)]
    full_tiles = n // TILE if has_tiles else 0
    grid = full_tiles + ceil_divide(n - full_tiles * TILE, THREADS)
    values = scalars if is_value else (0, 0, 0)
    arguments = contiguous_arguments(operands + outs, n, full_tiles, scalars, values)
    run(kernels[f"launch_{name}"], arguments, grid)
    for out, want in zip(outs, expected(*operands), strict=True):
        np.testing.assert_array_equal(out[:n], np.broadcast_to(want, n))
        assert np.array_equal(out[n:], guarded(n, out.dtype)[n:])


def test_contiguous_kernel_writes_over_an_input(kernels):
    a, b, c = inputs(2 * TILE + 3)
    want = expected(a, b, c)[0]
    positive = np.empty(b.size, bool)
    arguments = contiguous_arguments([a, b, c, b, positive], b.size, 2)
    run(kernels.launch_contiguous, arguments, 2 + 1)
    np.testing.assert_array_equal(b, want)


def random_view(rng, array):
    """The same shape with other strides: axes permuted, reversed, stepped or broadcast."""
    order = rng.permutation(array.ndim)
    view = np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))
    steps = tuple(slice(None, None, rng.choice([-1, 1])) for _ in array.shape)
    wide = np.repeat(view, 2, axis=-1)[..., ::2] if rng.random() < 0.5 else view
    axis = rng.integers(array.ndim)
    if rng.random() < 0.3:
        wide = np.broadcast_to(np.take(wide, [0], axis), wide.shape)
    return wide[steps]


@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_strided_kernel_follows_any_strides(kernels, seed, is_wide):
    rng = np.random.default_rng(seed)
    shape = tuple(map(int, rng.integers(1, 9, size=rng.integers(1, 6))))
    operands = [random_view(rng, x) for x in inputs(shape, seed)]
    outs = [np.zeros(shape[::-1], t).T for t in ("f8", bool)]
    n = math.prod(shape)
    run(
        kernels.launch_strided_wide if is_wide else kernels.launch_strided,
        strided_arguments(operands + outs, shape, is_wide=is_wide),
        ceil_divide(n, THREADS),
    )
    for out, want in zip(outs, expected(*operands), strict=True):
        np.testing.assert_array_equal(out, want)


def test_strided_kernel_takes_values_and_all_dimensions(kernels):
    shape = (2,) * 8 + (1,) * (MAX_DIMENSIONS - 9) + (3,)
    a, b, c = inputs(shape)
    operands = [a[(0,) * a.ndim].reshape(()), b.T.copy().T, c]
    outs = [np.zeros(shape, "f8"), np.zeros(shape, bool)]
    arguments = strided_arguments(operands + outs, shape, values=(1, 0, 0))
    run(kernels.launch_strided, arguments, ceil_divide(b.size, THREADS))
    np.testing.assert_array_equal(outs[0], expected(*operands)[0])


def masks(n):
    """All, none, and some of n elements, as bytes that need not be 0 and 1."""
    rng = np.random.default_rng(9)
    some = rng.integers(0, 3, n) * 127
    blocks = np.repeat(rng.integers(0, 2, n // 8 + 1), 8)[:n]
    return [values.astype("u1").view(bool) for values in (np.ones(n), np.zeros(n), some, blocks)]


@pytest.mark.parametrize("is_masked", [False, True])
@pytest.mark.parametrize("is_value", [False, True])
@pytest.mark.parametrize("name", ["line", "line_branches", "batches", "strided"])
def test_tiles_of_strided_elements(kernels, name, is_value, is_masked):
    """Two full tiles, then single elements, of reversed, stepped and broadcast operands."""
    tile = THREADS * (ITEMS if name == "strided" else MANY_ITEMS)
    is_line, limit = "line" in name, {"strided": 64, "batches": 8}.get(name, 1)
    shape = (2 * tile + 131,) if is_line else (3, (2 * tile + 131) // 3)
    n = math.prod(shape)
    a, b, c = (np.repeat(x, 2, axis=-1) for x in inputs(shape))
    operands = [np.float32(1.5) if is_value else a[::-1][..., ::2], b[..., ::2], c[..., ::-2]]
    mask = masks(n)[2].reshape(shape)
    outs = [np.full((*shape, 2), 7, "f8")[..., 0], np.ones((*shape, 3), bool)[..., 1]]
    given = [np.asarray(operands[0]), *operands[1:], *([mask] if is_masked else []), *outs]
    if is_masked:
        name = {"strided": "masked", "batches": "masked_batches"}.get(name, "masked_line")
    is_wide = name in ("line_branches", "masked_batches")
    arguments = strided_arguments(
        given, shape, (is_value, 0, 0), is_wide=is_wide, limit=limit, full_tiles=2
    )
    run(kernels[f"launch_{name}"], arguments, 2 + ceil_divide(n - 2 * tile, THREADS))
    wanted = mask.view("u1") != 0 if is_masked else np.ones(shape, bool)
    for out, want, before in zip(outs, expected(*operands), (7, True), strict=True):
        np.testing.assert_array_equal(out, np.where(wanted, want, before))


@pytest.mark.parametrize("is_wide", [False, True])
def test_masked_kernel_computes_where_the_mask_is_not_zero(kernels, is_wide):
    shape = (5, 150)
    rng = np.random.default_rng(3)
    operands = inputs(shape, 3)
    mask = (rng.integers(0, 3, shape) * 127).astype("u1").view(bool)[:, ::-1]
    outs = [np.full(shape, 7, "f8"), np.ones(shape, bool)]
    arguments = strided_arguments([*operands, mask, *outs], shape, is_wide=is_wide)
    kernel = kernels.launch_masked_wide if is_wide else kernels.launch_masked
    kernels.take_calls()
    run(kernel, arguments, ceil_divide(mask.size, THREADS))
    wanted = mask.view("u1") != 0
    assert kernels.take_calls() == wanted.sum()
    for out, want, before in zip(outs, expected(*operands), (7, True), strict=True):
        np.testing.assert_array_equal(out, np.where(wanted, want, before))


@pytest.mark.parametrize("n", [1, 129, TILE, 2 * TILE + 5])
@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("name", ["masked_contiguous", "masked_contiguous_branches"])
def test_masked_vectors_compute_where_the_mask_is_not_zero(kernels, name, which, n):
    operands = inputs(n)
    mask = masks(n)[which]
    outs = [np.full(n + 64, 7, "f8"), guarded(n, bool)]
    full_tiles = n // TILE
    grid = full_tiles + ceil_divide(n - full_tiles * TILE, THREADS)
    kernels.take_calls()
    run(
        kernels[f"launch_{name}"],
        contiguous_arguments([*operands, mask, *outs], n, full_tiles),
        grid,
    )
    wanted = mask.view("u1") != 0
    assert kernels.take_calls() == wanted.sum()
    for out, want, before in zip(outs, expected(*operands), (7, True), strict=True):
        np.testing.assert_array_equal(out[:n], np.where(wanted, want, before))
        assert (out[n:] == before).all()


@pytest.mark.parametrize("which", range(4))
def test_masked_words_keep_what_is_not_wanted(kernels, which):
    n = 2 * THREADS * 32
    rng = np.random.default_rng(1)
    x, y, out = (rng.integers(-128, 128, n).astype("i1") for _ in range(3))
    mask = masks(n)[which]
    want = np.where(mask.view("u1") != 0, x - (y + np.int8(3)), out)
    run(kernels.launch_masked_packed, contiguous_arguments([x, y, mask, out], n, 2), 2)
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("has_tiles", [False, True])
@pytest.mark.parametrize("has_one_per_row", [False, True])
def test_masked_rows_compute_where_the_mask_is_not_zero(kernels, has_one_per_row, has_tiles):
    shape = (3, 2, 2 * ROWS_TILE + 131)
    operands = [aligned_rows(x) for x in inputs(shape)]
    mask = aligned_rows(masks(math.prod(shape))[2].reshape(shape))
    mask = mask[..., :1] if has_one_per_row else mask
    outs = [aligned_rows(np.full(shape, 1, dtype)) for dtype in ("f8", bool)]
    arguments, grid = rows_arguments([*operands, mask, *outs], 2 if has_tiles else 0)
    kernels.take_calls()
    run(kernels.launch_masked_rows, arguments, grid)
    wanted = np.broadcast_to(mask.view("u1") != 0, shape)
    assert kernels.take_calls() == wanted.sum()
    for out, want in zip(outs, expected(*operands), strict=True):
        np.testing.assert_array_equal(out, np.where(wanted, want, 1))


@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize("has_tiles", [False, True])
@pytest.mark.parametrize("length", [1, 5, THREADS, ROWS_TILE - 1, ROWS_TILE, 2 * ROWS_TILE + 131])
def test_rows_kernel_computes_every_element(kernels, length, has_tiles, is_wide):
    shape = (3, 2, length)
    a, b, c = map(aligned_rows, inputs(shape))
    # Reversed rows, one element per row, and one row for all.
    operands = [a[::-1], b[:, :, :1], c[:1, :1]]
    operands = [operands[0], operands[1], np.broadcast_to(operands[2], shape)]
    outs = [aligned_rows(np.ones(shape, dtype)) for dtype in ("f8", bool)]
    full_tiles = length // ROWS_TILE if has_tiles else 0
    arguments, grid = rows_arguments(operands + outs, full_tiles, is_wide=is_wide)
    run(kernels.launch_rows_wide if is_wide else kernels.launch_rows, arguments, grid)
    for out, want in zip(outs, expected(*operands), strict=True):
        np.testing.assert_array_equal(out, want)
        assert (out.base[..., length:] == 1).all()


def aligned_rows(array):
    """Rows aligned as vectors need it, with ones behind them which no kernel may change."""
    *shape, length = array.shape
    rows = np.ones((*shape, length + 64 - length % 64), array.dtype)
    rows[..., :length] = array
    return rows[..., :length]


def test_rows_kernel_takes_values(kernels):
    shape = (2, ROWS_TILE + 7)
    _, b, c = inputs(shape)
    operands = [np.full((1, 1), 2.5, "f4"), b, c]
    outs = [np.zeros(shape), np.zeros(shape, bool)]
    arguments, grid = rows_arguments(operands + outs, 0, values=(1, 0, 0))
    run(kernels.launch_rows, arguments, grid)
    np.testing.assert_array_equal(outs[0], expected(operands[0], b, c)[0])


@pytest.mark.parametrize("full_tiles", [0, 2])
def test_casts_are_numpys(kernels, full_tiles):
    n = 2 * TILE + 9
    rng = np.random.default_rng(4)
    a = rng.integers(-300, 300, n).astype("i2")
    b = rng.normal(size=n).astype("f4")
    c = rng.uniform(-100, 100, n)
    outs = [np.zeros(n, "f4"), np.zeros(n, "i4")]
    arguments = contiguous_arguments([a, b, c, *outs], n, full_tiles)
    run(kernels.launch_contiguous_cast, arguments, full_tiles + ceil_divide(n, THREADS))
    want = expected(a.astype("f4"), b.astype("f8"), c.astype("i1"))
    for out, results in zip(outs, want, strict=True):
        np.testing.assert_array_equal(out, results.astype(out.dtype))


def test_casts_of_one_result_are_numpys(kernels):
    n = TILE + 3
    x = np.random.default_rng(5).uniform(-1000, 1000, n)
    y = (np.arange(n) % 3).astype("u1").view(bool)
    out = np.zeros(n, "c8")
    run(kernels.launch_contiguous_cast_sum, contiguous_arguments([x, y, out], n, 1), 2)
    is_one = (y.view("u1") != 0).astype("i1")
    np.testing.assert_array_equal(out, x.astype("i4").astype("i1") - (is_one + np.int8(3)))


@pytest.mark.parametrize("scalars", [(0, 0), (0, 1)])
def test_packed_words_hold_every_pair_of_bytes(kernels, scalars):
    x, y = (part.ravel().astype("i1") for part in np.meshgrid(np.arange(256), np.arange(256)))
    y = y[77:78] if scalars[1] else y
    out = np.zeros(x.size, "i1")
    tile = THREADS * 16 * 2
    arguments = contiguous_arguments([x, y, out], x.size, x.size // tile, scalars)
    run(kernels.launch_contiguous_packed, arguments, x.size // tile)
    np.testing.assert_array_equal(out, x - (y + np.int8(3)))


@pytest.mark.parametrize("block", [32, 128])
@pytest.mark.parametrize("is_value", [False, True])
def test_generalized_kernel_sees_its_core_arrays(kernels, block, is_value):
    rng = np.random.default_rng(1)
    loop, n = (3, 50), 4
    a = np.broadcast_to(rng.normal(size=(50, n)), (*loop, n))
    b = rng.normal(size=(*loop, 2, n)).swapaxes(-1, -2)
    w = np.float64(2.5) if is_value else rng.normal(size=loop)
    out = np.zeros((*loop, 2))
    operands = [a, b, np.asarray(w), out]
    arguments = strided_arguments(operands, loop, values=(0, 0, is_value, 0))
    strides = [a.strides[-1], *b.strides[-2:], out.strides[-1]]
    arguments += struct.pack("2q4q", n, 2, *strides)
    run(kernels.launch_generalized, arguments, ceil_divide(150, block), block)
    want = (a[..., None, :] @ b)[..., 0, :] * (w if is_value else w[..., None])
    np.testing.assert_allclose(out, want, rtol=1e-14, atol=1e-15)


def test_divisors_divide(kernels):
    rng = np.random.default_rng(2)
    largest = 2**31
    sizes = [1, 2, 3, 7, 641, 2**16 + 1, 2**31 - 1, 2**31, *rng.integers(1, largest, 100)]
    for size in map(int, sizes):
        edges = [0, 1, size - 1, size, size + 1, 2 * size - 1, largest - 1, largest]
        for dividend in [*edges, *map(int, rng.integers(0, largest, 20))]:
            if dividend <= largest:
                assert kernels.divide(dividend, *divisor(size)) == dividend // size


# ---- NVRTC


@pytest.fixture(scope="module")
def nvrtc():
    site_packages = pathlib.Path(sysconfig.get_paths()["purelib"])
    for path in sorted(site_packages.glob("nvidia/*/lib/libnvrtc.so.*"), reverse=True):
        return ctypes.CDLL(path)
    pytest.skip("there is no nvidia-cuda-nvrtc here")


HEADERS = {
    str(path.relative_to(ROOT / "templates")): path.read_text()
    for path in (ROOT / "templates").rglob("*.hpp")
}
OPTIONS = ["-fmad=false", "-ftz=false", "-prec-div=true", "-prec-sqrt=true", "-minimal"]


def ptx(nvrtc, source, architecture):
    def strings(texts):
        return (ctypes.c_char_p * len(texts))(*(text.encode() for text in texts))

    def text(kind):
        size = ctypes.c_size_t()
        assert getattr(nvrtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size)) == 0
        buffer = ctypes.create_string_buffer(size.value)
        assert getattr(nvrtc, f"nvrtcGet{kind}")(program, buffer) == 0
        return buffer.value.decode()

    program = ctypes.c_void_p()
    headers = strings(list(HEADERS.values())), strings(list(HEADERS))
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), b"kernel.cu", len(HEADERS), *headers
    )
    options = [f"-arch=compute_{architecture}", *OPTIONS, "-std=c++20"]
    status = nvrtc.nvrtcCompileProgram(program, len(options), strings(options))
    result = text("ProgramLog") if status else text("PTX")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    assert status == 0, result
    return result


@pytest.mark.parametrize("architecture", [75, *in_long_runs(120)])
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name.split(".")[0])
def test_emitted_source_compiles(nvrtc, path, architecture):
    source = path.read_text()
    entry_points = re.findall(r"^NPP_\w+_KERNEL\((\w+),", source, re.MULTILINE)
    text = ptx(nvrtc, source, architecture)
    assert re.findall(r"\.entry (\w+)\(", text) == entry_points


def test_full_tiles_are_read_and_written_as_vectors(nvrtc):
    source = (ROOT / "tests/cpp/emit/source/golden/gaussian_pdf.cuda.cpp").read_text()
    text = ptx(nvrtc, source, 90)
    # Two vectors of each of three inputs, once for plain tiles and once for tiles with scalars.
    assert len(re.findall(r"ld\.global\.v4", text)) == 2 * 3 * 2
    assert len(re.findall(r"st\.global\.v4", text)) == 2
    assert ".local" not in text


def test_nvrtc_names_the_body_in_its_errors(nvrtc):
    source = (ROOT / "tests/cpp/emit/source/golden/cpp_return.cuda.cpp").read_text()
    with pytest.raises(AssertionError, match=r"<body of 'hypot '2''>\(1\): error: .*\"sqroot\""):
        ptx(nvrtc, source.replace("return sqrt(", "return sqroot("), 90)
