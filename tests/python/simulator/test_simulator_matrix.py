"""Products of matrices by tensor-core instructions: CUDA C++ on the simulator against NumPy."""

from __future__ import annotations

import itertools
import re
import subprocess

import numpy as np
import pytest
from ptx_tools import SimulatedDriver, pip_nvrtc, toolkit_directory, toolkit_nvrtc

from numpy_plugin import cuda

GENERATOR = np.random.default_rng(21)

pytestmark = pytest.mark.usefixtures("simulator")


def halves(*shape: int) -> np.ndarray:
    return GENERATOR.uniform(-1, 1, shape).astype(np.float16)


def check_sums(found: np.ndarray, a: np.ndarray, b: np.ndarray, step: int) -> None:
    """Holds sums of products to the bound in guide/simulator.md; each instruction adds `step`."""
    products = a.astype(np.float64)[:, :, None] * b.astype(np.float64)[None]
    n_steps = -(-a.shape[1] // step)
    largest = np.maximum(np.abs(products).max(axis=1), np.abs(products).sum(axis=1))
    bound = n_steps * ((step + 1) * 2.0**-25 + 2.0**-23) * largest
    assert (np.abs(found - products.sum(axis=1)) <= bound).all()


ASSEMBLY = """
#include <cuda_fp16.h>
extern "C" __global__ void product(const half* x, const half* y, float* d) {
  int group = threadIdx.x / 4, member = threadIdx.x % 4;
  const unsigned* a = (const unsigned*)x;  // 16 x 8 pairs
  const unsigned* b = (const unsigned*)y;  // 8 columns of 8 pairs
  unsigned a0 = a[group * 8 + member], a1 = a[(group + 8) * 8 + member];
  unsigned a2 = a[group * 8 + member + 4], a3 = a[(group + 8) * 8 + member + 4];
  unsigned b0 = b[group * 8 + member], b1 = b[group * 8 + member + 4];
  float d0, d1, d2, d3;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1),
        "f"(0.0f), "f"(0.0f), "f"(0.0f), "f"(0.0f));
  d[group * 8 + 2 * member] = d0;
  d[group * 8 + 2 * member + 1] = d1;
  d[(group + 8) * 8 + 2 * member] = d2;
  d[(group + 8) * 8 + 2 * member + 1] = d3;
}
"""


def test_inline_assembly_multiplies():
    a, b = halves(16, 16), halves(16, 8)
    out = cuda.zeros((16, 8), np.float32)
    columns = np.ascontiguousarray(b.T)
    cuda.kernel(ASSEMBLY, "product")[1, 32](cuda.to_device(a), cuda.to_device(columns), out)
    check_sums(out.copy_to_host(), a, b, 16)


QUAD_PAIRS = """
#include <cuda_fp16.h>
extern "C" __global__ void products(const half* x, const half* y, float* d) {
  int pair = threadIdx.x % 16 / 4, member = threadIdx.x % 4, first = threadIdx.x / 16 * 4;
  int own = first + member;
  const unsigned* a = (const unsigned*)(x + (pair * 8 + own) * 4);  // rows of 4 in matrices of 8
  const unsigned* b = (const unsigned*)(y + (pair * 4 + member) * 8 + first);  // by rows, too
  float s[8];
  asm("mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32"
      " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11},"
      " {%12, %12, %12, %12, %12, %12, %12, %12};"
      : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]),
        "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "f"(0.25f));
  for (int i = 0; i < 8; ++i) {
    int row = first + member % 2 + (i & 2), column = (i & 4) + (member & 2) + i % 2;
    d[(pair * 8 + row) * 8 + column] = s[i];
  }
}
"""


def test_quad_pairs_multiply():
    a, b = halves(4, 8, 4), halves(4, 4, 8)
    out = cuda.zeros((4, 8, 8), np.float32)
    cuda.kernel(QUAD_PAIRS, "products")[1, 32](cuda.to_device(a), cuda.to_device(b), out)
    # The sums of products are exact in float64.
    products = a.astype(np.float64)[:, :, :, None] * b.astype(np.float64)[:, None]
    sums = np.zeros((4, 8, 8), np.float32)
    for k in range(4):
        sums = (sums + products[:, :, k]).astype(np.float32)
    np.testing.assert_array_equal(out.copy_to_host(), np.float32(0.25) + sums)


# Each block computes 32 x 32 of D with 4 warps, through two buffers in shared memory.
TILED = """
#include <cuda_fp16.h>

__device__ unsigned shared_address(const void* p) { return __cvta_generic_to_shared(p); }

__device__ void copy_16_bytes(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

extern "C" __global__ void multiply(const half* a, const half* b, float* d, int n, int k) {
  __shared__ __align__(16) half tile_a[2][32][16];
  __shared__ __align__(16) half tile_b[2][16][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = 32 * blockIdx.y, column = 32 * blockIdx.x;
  int part = threadIdx.x % 64;
  auto load = [&](int buffer, int first) {
    if (threadIdx.x < 64)
      copy_16_bytes(&tile_a[buffer][part / 2][part % 2 * 8],
                    a + (row + part / 2) * k + first + part % 2 * 8);
    else
      copy_16_bytes(&tile_b[buffer][part / 4][part % 4 * 8],
                    b + (first + part / 4) * n + column + part % 4 * 8);
    asm volatile("cp.async.commit_group;");
  };
  int top = warp / 2 * 16, left = warp % 2 * 16;
  float sums[2][4] = {};
  load(0, 0);
  for (int first = 0; first < k; first += 16) {
    int buffer = first / 16 % 2;
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    if (first + 16 < k) load(1 - buffer, first + 16);
    unsigned x[4], y[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
        : "r"(shared_address(&tile_a[buffer][top + lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
        : "r"(shared_address(&tile_b[buffer][lane % 16][left + lane / 16 * 8])));
    for (int i = 0; i < 2; ++i)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
          " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
          : "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
          : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[2 * i]), "r"(y[2 * i + 1]));
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      d[(row + top + lane / 4 + j / 2 * 8) * n + column + left + 8 * i + lane % 4 * 2 + j % 2] =
          sums[i][j];
}
"""


def test_tiles_in_shared_memory_multiply():
    a, b = halves(64, 48), halves(48, 96)
    out = cuda.zeros((64, 96), np.float32)
    multiply = cuda.kernel(TILED, "multiply")
    multiply[(3, 2), 128](cuda.to_device(a), cuda.to_device(b), out, np.int32(96), np.int32(48))
    check_sums(out.copy_to_host(), a, b, 16)


WMMA = """
#include <mma.h>
namespace w = nvcuda::wmma;
// D = A B + C with leading dimensions of 48, of A by rows, B by columns, C and D by rows.
template <int m, int n, int k, class Operand, class Memory, class Sum>
__device__ void multiply(const void* a, const void* b, const void* c, void* d) {
  w::fragment<w::matrix_a, m, n, k, Operand, w::row_major> x;
  w::fragment<w::matrix_b, m, n, k, Operand, w::col_major> y;
  w::fragment<w::accumulator, m, n, k, Sum> sum;
  w::load_matrix_sync(x, (const Memory*)a, 48);
  w::load_matrix_sync(y, (const Memory*)b, 48);
  w::load_matrix_sync(sum, (const Sum*)c, 48, w::mem_row_major);
  for (int i = 0; i < x.num_elements; ++i) x.x[i] = x.x[i] * Memory(2);
  w::mma_sync(sum, x, y, sum);
  w::store_matrix_sync((Sum*)d, sum, 48, w::mem_row_major);
}
extern "C" __global__ void products(int which, const void* a, const void* b, const void* c,
                                    void* d) {
  switch (which) {
CASES
  }
}
"""

WMMA_FORMS = [
    *(
        (*shape, *types)
        for shape in [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
        for types in [
            ("half, half, float", np.float16, np.float32),
            ("half, half, half", np.float16, np.float16),
            ("signed char, signed char, int", np.int8, np.int32),
        ]
    ),
    (8, 8, 4, "double, double, double", np.float64, np.float64),
    (16, 16, 8, "nvcuda::wmma::precision::tf32, float, float", np.float32, np.float32),
]


@pytest.fixture(scope="module")
def products(simulator):
    cases = [
        f"    case {which}: multiply<{m}, {n}, {k}, {types}>(a, b, c, d); break;"
        for which, (m, n, k, types, *_) in enumerate(WMMA_FORMS)
    ]
    includes = [nvrtc.include for nvrtc in (pip_nvrtc(), toolkit_nvrtc()) if nvrtc]
    include = next((path for path in includes if (path / "crt/mma.h").exists()), None)
    if include is None:
        pytest.skip("no <mma.h> (of CUDA's toolkit or the package nvidia-cuda-crt)")
    source = WMMA.replace("CASES", "\n".join(cases))
    return cuda.kernel(source, "products", options=[f"-I{include}"])


@pytest.mark.parametrize("which", range(len(WMMA_FORMS)))
def test_wmma_multiplies(products, which):
    m, n, k, _, memory, result = WMMA_FORMS[which]
    # Small integers: the sums are exact in each type.
    a = GENERATOR.integers(-8, 8, (m, 48)).astype(memory)
    b = GENERATOR.integers(-8, 8, (n, 48)).astype(memory)
    c = GENERATOR.integers(-99, 99, (m, 48)).astype(result)
    out = cuda.to_device(c)
    operands = [cuda.to_device(array) for array in (a, b, c)]
    products[1, 32](np.int32(which), *operands, out)
    expected = c.copy()
    expected[:, :n] += (2 * a[:, :k].astype(int) @ b[:, :k].astype(int).T).astype(result)
    np.testing.assert_array_equal(out.copy_to_host(), expected)


def registers(letter: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"%{letter}{first + i}" for i in range(count)) + "}"


def mma(shape: str, types: str, counts: tuple[int, int, int, int], after: str = "") -> str:
    """The instruction with as many registers of each operand."""
    letters = ["d" if types.startswith("f64") else "r"] * 4
    firsts = itertools.accumulate((0, *counts))
    operands = ", ".join(
        registers(letter, first, count)
        for letter, first, count in zip(letters, firsts, counts, strict=False)
    )
    return f"mma.sync.aligned.{shape}.row.col.{types}{after} {operands};"


def integer_forms(small: str, k: int, after: str = "") -> list[str]:
    types = f"s32.{small}.s32"
    return [
        mma(f"m8n8k{k}", types, (2, 1, 1, 2), after),
        mma(f"m16n8k{k}", types, (4, 2, 1, 4), after),
        mma(f"m16n8k{2 * k}", types, (4, 4, 2, 4), after),
    ]


# Of four products, which quad pairs compute.
QUAD_FORMS = [
    f"mma.sync.aligned.m8n8k4.{a}.{b}.{d}.f16.f16.{c}"
    f" {registers('r', 0, 4 if d == 'f16' else 8)}, {{%r10, %r11}}, {{%r12, %r13}},"
    f" {registers('r', 20, 4 if c == 'f16' else 8)};"
    for a, b in itertools.product(["row", "col"], repeat=2)
    for d, c in [("f16", "f16"), ("f32", "f16"), ("f32", "f32")]
]

# By the architecture that introduced them.
FORMS = {
    "sm_75": [
        *QUAD_FORMS,
        mma("m16n8k8", "f16.f16.f16.f16", (2, 2, 1, 2)),
        mma("m16n8k8", "f32.f16.f16.f32", (4, 2, 1, 4)),
        mma("m8n8k16", "s32.s8.u8.s32", (2, 1, 1, 2)),
        mma("m8n8k16", "s32.u8.u8.s32", (2, 1, 1, 2)).replace("col.", "col.satfinite."),
        mma("m8n8k32", "s32.s4.s4.s32", (2, 1, 1, 2)),
        mma("m8n8k128", "s32.b1.b1.s32", (2, 1, 1, 2), ".xor.popc"),
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a0];",
        "ldmatrix.sync.aligned.m8n8.x4.trans.b16 {%r0, %r1, %r2, %r3}, [%a0];",
        "ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%r0, %r1}, [%a0];",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;",
    ],
    "sm_80": [
        *(mma("m16n8k16", f"{t}.f16.f16.{t}", (n, 4, 2, n)) for t, n in [("f16", 2), ("f32", 4)]),
        mma("m16n8k8", "f32.bf16.bf16.f32", (4, 2, 1, 4)),
        mma("m16n8k16", "f32.bf16.bf16.f32", (4, 4, 2, 4)),
        mma("m16n8k4", "f32.tf32.tf32.f32", (4, 2, 1, 4)),
        mma("m16n8k8", "f32.tf32.tf32.f32", (4, 4, 2, 4)),
        mma("m8n8k4", "f64.f64.f64.f64", (2, 1, 1, 2)),
        mma("m8n8k4", "f64.f64.f64.f64.rz", (2, 1, 1, 2)),
        *integer_forms("s8.u8", 16),
        *integer_forms("u4.s4", 32),
        *integer_forms("b1.b1", 128, ".and.popc"),
    ],
    "sm_89": [
        *(
            mma(f"m16n8k{k}", f"{t}.{x}.{y}.{t}", (n, k // 8, k // 16, n))
            for k in (16, 32)
            for t, n in [("f16", 2), ("f32", 4)]
            for x, y in [("e4m3", "e5m2"), ("e5m2", "e5m2")]
        ),
    ],
    "sm_90": [
        mma("m16n8k4", "f64.f64.f64.f64", (4, 2, 1, 4)),
        mma("m16n8k8", "f64.f64.f64.f64", (4, 4, 2, 4)),
        mma("m16n8k16", "f64.f64.f64.f64", (4, 8, 4, 4)),
        "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%a0], {%r0, %r1};",
    ],
    "sm_120a": [
        "ldmatrix.sync.aligned.m16n16.x1.trans.b8 {%r0, %r1}, [%a0];",
        "ldmatrix.sync.aligned.m16n16.x2.trans.shared::cta.b8 {%r0, %r1, %r2, %r3}, [%a0];",
        "stmatrix.sync.aligned.m16n8.x1.trans.b8 [%a0], {%r0};",
        "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%a0], {%r0, %r1, %r2, %r3};",
        mma("m16n8k16", "f32.f16.f16.f32", (4, 4, 2, 4)),
    ],
}


def ptx(arch: str, statements: list[str]) -> str:
    body = "\n".join(statements)
    return f"""
.version 9.0
.target {arch}
.address_size 64
.visible .entry k() {{
  .reg .b32 %r<32>; .reg .f64 %d<32>; .reg .b64 %a<2>;
  {body}
  ret;
}}
"""


@pytest.fixture(scope="module")
def driver(simulator):
    opened = SimulatedDriver("sm_120")
    yield opened
    opened.close()


@pytest.mark.parametrize("arch", FORMS)
def test_forms_of_each_architecture_load(driver, arch):
    assert driver.load(ptx(arch, FORMS[arch])) == ""


@pytest.mark.slow
@pytest.mark.parametrize("arch", FORMS)
def test_forms_are_those_of_the_assembler(tmp_path, arch):
    toolkit = toolkit_directory()
    if toolkit is None or not (toolkit / "bin/ptxas").exists():
        pytest.skip("no CUDA toolkit with ptxas")
    path = tmp_path / "forms.ptx"
    path.write_text(ptx(arch, FORMS[arch]))
    command = [toolkit / "bin/ptxas", f"-arch={arch}", path, "-o", tmp_path / "forms.cubin"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            "wgmma.fence.sync.aligned;",
            "warpgroup matrix instructions (sm_90a) are not simulated; mma.sync is",
        ),
        (
            "tex.2d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%a0, {%r4, %r5}];",
            "textures are not simulated",
        ),
    ],
)
def test_what_is_not_simulated_is_named(driver, statement, reason):
    mnemonic = re.escape(statement.split(" ")[0].rstrip(";"))
    found = driver.load(ptx("sm_90", [statement]))
    assert re.search(rf"line 7: '{mnemonic}': {re.escape(reason)}$", found.strip()), found
