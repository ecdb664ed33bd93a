"""Device kernels in Python whose warps work together: shuffles, votes, matches; bits of numbers."""

import math

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

FULL = 0xFFFFFFFF
LANES = np.arange(32)

pytestmark = pytest.mark.usefixtures("device")


@npp.device
def warp_sum(value):
    offset = 16
    while offset > 0:
        value += cuda.shfl_down_sync(FULL, value, offset)
        offset //= 2
    return value


@cuda.kernel
def block_sums(x, out):
    part = cuda.shared.array(32, npp.float64)
    lane, warp = cuda.laneid, cuda.threadIdx.x // cuda.warpsize
    total = np.float64(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    total = warp_sum(total)
    if lane == 0:
        part[warp] = total
    cuda.syncthreads()
    if warp == 0:
        total = warp_sum(part[lane] if lane < cuda.blockDim.x // 32 else 0.0)
        if lane == 0:
            cuda.atomic.add(out, 0, total)


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_a_sum_by_shuffles(dtype):
    x = np.random.default_rng(3).integers(-1000, 1000, 3000).astype(dtype)
    out = np.zeros(1)
    block_sums[2, 256](x, out)
    assert out[0] == x.sum()


@cuda.kernel
def shuffled(x, out):
    i = cuda.threadIdx.x
    value = x[i]
    out[0, i] = cuda.shfl_sync(-1, value, 5)
    out[1, i] = cuda.shfl_up_sync(FULL, value, 3)
    out[2, i] = cuda.shfl_down_sync(FULL, value, np.int64(4))
    out[3, i] = cuda.shfl_xor_sync(FULL, value, 1)
    out[4, i] = cuda.shfl_sync(FULL, value, (i * 7) % 32)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f2", "i4", "f4", "u8", "f8", "c8", "c16"])
def test_shuffles_of_every_dtype(dtype):
    x = np.random.default_rng(7).integers(0, 2 if dtype == "?" else 100, 32).astype(dtype)
    if dtype.startswith("c"):
        x = x + (1j * x[::-1]).astype(dtype)
    out = np.zeros((5, 32), dtype)
    shuffled[1, 32](x, out)
    sources = [LANES * 0 + 5, np.maximum(LANES - 3, 0), LANES + 4, LANES ^ 1, LANES * 7 % 32]
    sources[1] = np.where(LANES < 3, LANES, LANES - 3)
    sources[2] = np.where(LANES + 4 > 31, LANES, LANES + 4)
    np.testing.assert_array_equal(out, x[np.array(sources)])


def test_votes():
    @cuda.kernel("void(int32[:], uint32[:,:])")
    def votes(x, out):
        i = cuda.threadIdx.x
        out[0, i] = cuda.all_sync(FULL, x[i] > 0)
        out[1, i] = cuda.any_sync(FULL, x[i])
        out[2, i] = cuda.eq_sync(FULL, x[i] > 2)
        out[3, i] = cuda.ballot_sync(FULL, x[i] == 3)
        out[4, i] = cuda.activemask()
        out[5, i] = cuda.lanemask_lt()

    for x in (LANES % 5, LANES * 0, LANES + 3, np.full(32, 3)):
        out = np.zeros((6, 32), np.uint32)
        votes[1, 32](x.astype(np.int32), out)
        equal = (x > 2).all() or not (x > 2).any()
        ballot = sum(1 << lane for lane in np.flatnonzero(x == 3).tolist())
        expected = [(x > 0).all(), (x != 0).any(), equal, ballot, FULL]
        np.testing.assert_array_equal(out[:5], np.transpose([expected] * 32))
        np.testing.assert_array_equal(out[5], 2**LANES - 1)


def test_a_stream_is_compacted_by_ballots():
    """Each lane's place among those that keep their element is a count of bits below its own."""

    @cuda.kernel("void(float32[:], float32[:], int32[:])")
    def positive(x, out, counter):
        i = cuda.grid(1)
        keeps = i < x.size and x[i] > 0
        mask = cuda.ballot_sync(FULL, keeps)
        leader = cuda.ffs(mask) - 1
        first = 0
        if cuda.laneid == leader:
            first = cuda.atomic.add(counter, 0, cuda.popc(mask))
        first = cuda.shfl_sync(FULL, first, max(leader, 0))
        if keeps:
            out[first + cuda.popc(mask & cuda.lanemask_lt())] = x[i]

    x = np.random.default_rng(1).normal(size=500).astype(np.float32)
    out, counter = np.zeros(500, np.float32), np.zeros(1, np.int32)
    positive[4, 128](x, out, counter)
    assert counter[0] == (x > 0).sum()
    np.testing.assert_array_equal(np.sort(out[: counter[0]]), np.sort(x[x > 0]))


def test_lanes_of_equal_bits():
    @cuda.kernel
    def matches(x, lanes, every):
        i = cuda.threadIdx.x
        lanes[i] = cuda.match_any_sync(FULL, x[i])
        mask, is_same = cuda.match_all_sync(FULL, x[i])
        every[i] = mask if is_same else 1

    values = np.float64([0.0, -0.0, np.nan, 3])
    for x in (LANES % 3, (LANES % 7).astype(np.int8), values[LANES % 4], np.full(32, 9, np.uint64)):
        lanes, every = np.zeros(32, np.uint32), np.zeros(32, np.uint32)
        matches[1, 32](x, lanes, every)
        bits = x.view(f"u{x.itemsize}")
        expected = [sum(1 << j for j in LANES.tolist() if bits[j] == own) for own in bits]
        np.testing.assert_array_equal(lanes, expected)
        np.testing.assert_array_equal(every, FULL if len(set(bits.tolist())) == 1 else 1)


def test_a_part_of_a_warp():
    @cuda.kernel("void(int32[:])")
    def halves(out):
        i = cuda.threadIdx.x
        if i < 16:
            out[i] = cuda.shfl_xor_sync(0xFFFF, out[i], 15)
            cuda.syncwarp(0xFFFF)
            out[i] += cuda.popc(cuda.ballot_sync(0xFFFF, True))

    out = LANES.astype(np.int32)
    halves[1, 32](out)
    np.testing.assert_array_equal(out[:16], 15 - LANES[:16] + 16)
    np.testing.assert_array_equal(out[16:], LANES[16:])


def test_lanes_that_do_not_come_are_found():
    @cuda.kernel
    def alone(out):
        if cuda.threadIdx.x < 4:
            out[0] = cuda.shfl_sync(FULL, 1, 0)
        else:
            cuda.syncthreads()

    with pytest.warns(npp.KernelWarning, match="barrier"), pytest.raises(npp.SimulatorError):
        alone[1, 32](np.zeros(1, np.int32))


def test_barriers_that_count():
    @cuda.kernel("void(int32[:], int64[:,:])")
    def counted(x, out):
        i = cuda.threadIdx.x
        out[0, i] = cuda.syncthreads_count(x[i] > 3)
        out[1, i] = cuda.syncthreads_and(x[i])
        out[2, i] = cuda.syncthreads_or(x[i] == 2)
        while cuda.syncthreads_or(x[i] > 5):
            x[i] -= 1
        cuda.nanosleep(32)

    x = np.random.default_rng(2).integers(1, 10, 96).astype(np.int32)
    out, left = np.zeros((3, 96), np.int64), x.copy()
    counted[1, 96](left, out)
    np.testing.assert_array_equal(out.T, [[(x > 3).sum(), 1, 1]] * 96)
    np.testing.assert_array_equal(left, x - (x.max() - 5))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_bits_of_every_width(dtype):
    @cuda.kernel
    def bits(x, out, reverse):
        i = cuda.grid(1)
        if i < x.size:
            out[i, 0] = cuda.popc(x[i])
            out[i, 1] = cuda.clz(x[i])
            out[i, 2] = cuda.ffs(x[i])
            reverse[i] = cuda.brev(x[i])

    width = 8 * np.dtype(dtype).itemsize
    limits = np.iinfo(dtype)
    x = np.array([0, 1, 2, 6, 100, limits.max, limits.min, limits.max // 3], dtype)
    out, reverse = np.zeros((x.size, 3), np.int64), np.zeros_like(x)
    bits[1, 32](x, out, reverse)
    texts = [f"{int(value) % 2**width:0{width}b}" for value in x]
    expected = [(t.count("1"), (t + "1").index("1"), t[::-1].find("1") + 1) for t in texts]
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(reverse.view(f"u{width // 8}"), [int(t[::-1], 2) for t in texts])


def test_functions_that_ufuncs_have_too():
    @cuda.kernel("void(float32[:])")
    def compute(x):
        i = cuda.grid(1)
        x[i] = cuda.selp(x[i] > 4, cuda.fma(x[i], x[i], -1), cuda.cbrt(x[i]))

    x = np.float32([8, 1, 5.3])
    expected = [8 * 8 - 1, 1, np.float32(float(x[2]) * float(x[2]) - 1)]
    compute[1, 3](x)
    np.testing.assert_array_equal(x, np.float32(expected))
    fused = npp.vectorize(["float64(float64)"])(
        define("def f(x):\n    return cuda.fma(x, x, -1.0)\n", cuda=cuda)["f"]
    )
    assert fused(1 + 2.0**-30) == math.ldexp(1, -29) + math.ldexp(1, -60)


def mistake(body, signature="void(int32[:], float64)"):
    source = f"def k(a, x):\n    {body}\n"
    with pytest.raises(npp.KernelError) as caught:
        cuda.kernel(define(source, cuda=cuda)["k"], signature)
    return str(caught.value)


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("a[0] = cuda.shfl_sync(-1, a[0])", "cuda.shfl_sync takes 3 arguments, 2 given", ""),
        ("a[0] = cuda.shfl_sync(-1, a[0], x)", "needs an integer, x is float64", "int(x)"),
        ("a[0] = cuda.shfl_sync(x, a[0], 0)", "needs an integer, x is float64", "int(x)"),
        ("a[0] = cuda.shfl_sync(2**32, a[0], 0)", "4294967296 does not fit", ""),
        ("a[0] = cuda.shfl_sync(-1, a, 0)", "cuda.shfl_sync needs a number, a is", "a[i]"),
        ("a[0] = cuda.popc(x)", "cuda.popc needs an integer, x is float64", "int(x)"),
        ("a[0] = cuda.match_any_sync(-1, 1j * x)", "at most 64 bits, 1j * x is complex128", ""),
        ("cuda.syncwarp(1, 2)", "cuda.syncwarp takes 0 or 1 arguments, 2 given", ""),
        ("a[0] = cuda.nanosleep(3)", "cuda.nanosleep returns no value", "on a line of its own"),
    ],
)
def test_mistakes(body, message, hint):
    text = mistake(body)
    assert message in text
    assert hint in text


def test_names_are_for_kernels():
    for name in ("shfl_sync(1, x, 0)", "popc(x)", "activemask()", "lanemask_lt()"):
        source = f"def f(x):\n    return cuda.{name}\n"
        with pytest.raises(npp.KernelError, match=r"is for cuda.kernel functions"):
            npp.vectorize(["int32(int32)"])(define(source, cuda=cuda)["f"])
    with pytest.raises(RuntimeError, match=r"cuda\.popc is for functions passed to cuda"):
        cuda.popc(1)
