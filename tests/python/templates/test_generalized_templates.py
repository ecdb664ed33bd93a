"""Generalized CPU loops from templates/: views of core dimensions in any layout."""

import numpy as np
import pytest
from long_runs import in_long_runs
from loop_driver import COMPILERS, DIVIDE, Kernels, Loop, compile_harness, compile_kernels

MATMUL = """
  using A = npp::Array<const double, npp::Dim<0>, npp::Dim<1>>;
  using B = npp::Array<const double, npp::Dim<1>, npp::Dim<2>>;
  using C = npp::Array<double, npp::Dim<0>, npp::Dim<2>>;
  using Operands = npp::Types<A, B, C>;
  NPP_FUNCTION static void call(A a, B b, C c) {
    for (npp::int64 i = 0; i < c.shape(0); ++i) {
      for (npp::int64 j = 0; j < c.shape(1); ++j) {
        double sum = 0;
        for (npp::int64 k = 0; k < a.shape(1); ++k) {
          sum = npp::add(sum, npp::multiply(a.at(i, k), b(k, j)));
        }
        c.at(i, j) = sum;
      }
    }
  }
"""
# A fixed size, and indices from the end.
CROSS = """
  using In = npp::Array<const float, npp::Dim<0, 3>>;
  using Out = npp::Array<float, npp::Dim<0, 3>>;
  using Operands = npp::Types<In, In, Out>;
  NPP_FUNCTION static void call(In a, In b, Out out) {
    static_assert(In::kRank == 1);
    for (npp::int64 i = 0; i < out.shape(0); ++i) {
      const npp::int64 j = i - 2, k = i - 1;
      out[i] = a.at(j) * b.at(k) - a.at(k) * b.at(j);
    }
  }
"""
# A scalar input, an output without core dimensions, and one with.
LIMITED = """
  using In = npp::Array<const double, npp::Dim<0>>;
  using Operands = npp::Types<double, In, npp::Array<npp::int64, npp::One>,
                              npp::Array<bool, npp::Dim<0>>>;
  NPP_FUNCTION static void call(double limit, In x, npp::Array<npp::int64, npp::One> count,
                                npp::Array<bool, npp::Dim<0>> mask) {
    count[0] = 0;
    for (npp::int64 i = 0; i < x.shape(0); ++i) {
      mask(i) = x(i) > limit;
      if (mask(i)) count[0] += 1;
    }
  }
"""
ANY_TRUE = """
  using In = npp::Array<const bool, npp::Dim<0>>;
  using Operands = npp::Types<In, npp::Array<bool, npp::One>>;
  NPP_FUNCTION static void call(In x, npp::Array<bool, npp::One> out) {
    bool any = false;
    for (npp::int64 i = 0; i < x.shape(0); ++i) any = any || x(i);
    out[0] = any;
  }
"""
GUARDED = """
  using In = npp::Array<const double, npp::Dim<0>>;
  using Operands = npp::Types<In, In, npp::Array<double, npp::Dim<0>>>;
  NPP_FUNCTION static void call(In x, In y, npp::Array<double, npp::Dim<0>> out) {
    for (npp::int64 i = 0; i < x.shape(0); ++i) {
      double quotient = 0;
      if (y(i) != 0) quotient = 1 - x(i) / y(i);
      out(i) = quotient;
    }
  }
"""
# Every operation exact and in source order: the two forms of the loop must agree in all bits.
SMOOTH = """
  using In = npp::Array<const float, npp::Dim<0>>;
  using Operands = npp::Types<In, npp::Array<float, npp::Dim<0>>>;
  NPP_FUNCTION static void call(In x, npp::Array<float, npp::Dim<0>> out) {
    float total = 0;
    for (npp::int64 i = 0; i < x.shape(0); ++i) total += x(i) * 0.1f;
    for (npp::int64 i = 0; i < x.shape(0); ++i) out(i) = x(i) * 0.3f + total;
  }
"""
KERNELS = {
    "matmul": MATMUL,
    "cross": CROSS,
    "limited": LIMITED,
    "any": ANY_TRUE,
    "guarded": GUARDED,
    "smooth": SMOOTH,
}


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    return compile_harness(tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="module", params=[COMPILERS[0], *in_long_runs(*COMPILERS[1:])])
def loops(request, tmp_path_factory, driver) -> dict[str, Loop]:
    source = '#include "npp/cpu/generalized.hpp"\n'
    for i, body in enumerate(KERNELS.values()):
        source += f"namespace {{ struct Kernel{i} {{ {body} }}; }}\n"
        source += f"NPP_GENERALIZED_LOOP(npp_loop_{i}, Kernel{i})\n"
    path = compile_kernels(tmp_path_factory.mktemp("kernels"), request.param, source)
    kernels = Kernels(path, driver)
    return {name: kernels.loop(i) for i, name in enumerate(KERNELS)}


def call(loop: Loop, operands: list, n: int, sizes: tuple[int, ...], **more) -> int:
    """Operands' first axis is the loop's, the others are core dimensions."""
    steps = [x.strides[0] for x in operands]
    steps += [stride for x in operands for stride in x.strides[1:]]
    return loop.run(operands, n, steps, sizes=sizes, **more)


def layouts(random: np.random.Generator, shape: tuple[int, ...], dtype) -> list[np.ndarray]:
    """Random arrays of one shape in C and Fortran order, strided, reversed and broadcast."""
    data = random.uniform(-2, 2, shape).astype(dtype)
    doubled = np.repeat(data, 2, axis=-1)
    return [
        data,
        np.asfortranarray(data),
        doubled[..., ::2],
        data[::-1],
        data[..., ::-1].copy()[..., ::-1],
        np.broadcast_to(data[:1], shape),
        np.broadcast_to(data[..., :1], shape),
    ]


def test_matmul_of_every_layout(loops):
    random = np.random.default_rng(0)
    for a in layouts(random, (4, 5, 6), "d"):
        for b in layouts(random, (4, 6, 3), "d"):
            for out in (np.zeros((4, 5, 3)), np.zeros((4, 3, 5)).swapaxes(1, 2)):
                call(loops["matmul"], [a, b, out], 4, (5, 6, 3))
                np.testing.assert_allclose(out, a @ b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("sizes", [(0, 2, 3), (2, 0, 3), (2, 3, 0), (1, 1, 1)])
def test_empty_and_single_dimensions(loops, sizes):
    m, k, n = sizes
    a, b = np.ones((2, m, k)), np.ones((2, k, n))
    out = np.full((2, m, n), 7.0)
    call(loops["matmul"], [a, b, out], 2, sizes)
    np.testing.assert_array_equal(out, a @ b)


def test_no_calls_write_nothing(loops):
    out = np.full((1, 2, 2), 7.0)
    call(loops["matmul"], [np.ones((1, 2, 2)), np.ones((1, 2, 2)), out], 0, (2, 2, 2))
    assert (out == 7).all()


def test_frozen_sizes_and_negative_indices(loops):
    random = np.random.default_rng(1)
    for a in layouts(random, (6, 3), "f"):
        for b in layouts(random, (6, 3), "f"):
            out = np.zeros((6, 3), "f")
            call(loops["cross"], [a, b, out], 6, (3,))
            np.testing.assert_allclose(out, np.cross(a, b), rtol=1e-5, atol=1e-6)


def test_scalar_inputs_and_outputs_without_core_dimensions(loops):
    random = np.random.default_rng(2)
    limit = random.uniform(-1, 1, 4)
    for x in layouts(random, (4, 9), "d"):
        count, mask = np.zeros(8, np.int64)[::2], np.zeros((4, 18), bool)[:, ::2]
        call(loops["limited"], [limit, x, count, mask], 4, (9,))
        expected = x > limit[:, None]
        np.testing.assert_array_equal(mask, expected)
        np.testing.assert_array_equal(count, expected.sum(axis=1))


def test_any_byte_but_zero_is_true(loops):
    x = np.array([[0, 0, 2], [0, 0, 0], [128, 0, 0]], np.uint8)
    out = np.full(3, 7, np.uint8)
    call(loops["any"], [x, out], 3, (3,))
    assert out.tolist() == [1, 0, 1]


def test_a_branch_not_taken_raises_no_flag(loops):
    for n in (1, 8, 100):
        x, y, out = np.ones((2, n)), np.ones((2, n)), np.ones((2, n))
        y[1, n // 2] = 0
        assert call(loops["guarded"], [x, y, out], 2, (n,)) == 0
        assert out[1, n // 2] == 0
        assert call(loops["guarded"], [x, y, out], 2, (n,), flags_before=DIVIDE) == DIVIDE


def test_layout_does_not_change_bits(loops):
    random = np.random.default_rng(3)
    for n in (1, 7, 64, 301):
        for x in layouts(random, (3, n), "f"):
            expected, out = np.zeros((3, n), "f"), np.zeros((3, 2 * n), "f")[:, ::2]
            call(loops["smooth"], [np.ascontiguousarray(x), expected], 3, (n,))
            call(loops["smooth"], [x, out], 3, (n,))
            assert expected.tobytes() == np.ascontiguousarray(out).tobytes()
