"""Kernels for what no function of CUDA's stands for: accesses, casts, calls, inline assembly."""

from __future__ import annotations

import itertools
import re

from ptx_inventory import Unit

HEAD = """\
#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct Pair { float x; int y; };
struct Big { double a; int b[10]; };
struct alignas(32) Wide { float of[8]; };
struct alignas(32) WideDouble { double of[4]; };
struct Shape { virtual __device__ int area(int) const = 0; };
struct Square : Shape { __device__ int area(int x) const override { return x * x; } };
struct Line : Shape { __device__ int area(int x) const override { return x; } };
__device__ int global_table[5] = {1, 2, 3, 4, 5};
__device__ int* global_pointer = &global_table[2];
__constant__ double constant_table[8] = {1, 2, 3};
__device__ __noinline__ Big changed(Big big, int k) { big.b[k % 10] += 3; return big; }
__device__ __noinline__ int plus(int x) { return x + global_table[x & 1]; }
__device__ __noinline__ int minus(int x) { return x - 1; }
__device__ int (*functions[2])(int) = {plus, minus};
extern __shared__ double dynamic_shared[];"""

NUMBERS = [
    "bool", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned",
    "long long", "unsigned long long", "float", "double",
]  # fmt: skip
VECTORS = [
    f"{scalar}{n}"
    for scalar in ("char", "uchar", "short", "ushort", "int", "uint", "float")
    for n in (2, 4)
] + ["double2", "longlong2", "ulonglong2", "char3", "float3"]
ATOMIC_TYPES = {"int": "i", "unsigned": "u", "unsigned long long": "ull", "long long": "ll"}


def entry(name: str, parameters: str, body: str) -> tuple[str, str]:
    return name, (
        f'extern "C" __global__ void {name}({parameters}) {{ int i = threadIdx.x; {body} }}'
    )


def short_name(type_name: str) -> str:
    return type_name.replace(" ", "_")


def accesses() -> list[tuple[str, str]]:
    """Loads and stores of each type in each space."""
    found = []
    for kind in NUMBERS + VECTORS + ["Wide", "WideDouble", "Pair"]:
        name = short_name(kind)
        both = f"{kind}* out, const {kind}* in"
        restricted = f"{kind}* __restrict__ out, const {kind}* __restrict__ in"
        found += [
            entry(f"copy_{name}", both, "out[i] = in[i];"),
            entry(f"read_only_{name}", restricted, "out[i] = in[i];"),
            entry(
                f"shared_{name}",
                both,
                f"__shared__ {kind} s[64]; s[i] = in[i]; __syncthreads(); out[i] = s[63 - i];",
            ),
            entry(
                f"local_{name}",
                both + ", int k",
                f"{kind} own[9]; for (int j = 0; j < 9; ++j) own[j] = in[i * j];"
                " own[k & 7] = in[k]; out[i] = own[(k + i) % 9];",
            ),
            entry(f"by_value_{name}", f"{kind}* out, {kind} value", "out[i] = value;"),
        ]
    for kind in NUMBERS:
        found.append(
            entry(
                f"volatile_{short_name(kind)}",
                f"volatile {kind}* out, volatile {kind}* in",
                "out[i] = in[i];",
            )
        )
    return found


def arithmetic() -> list[tuple[str, str]]:
    found = []
    for kind in NUMBERS:
        name = short_name(kind)
        found.append(
            entry(
                f"arithmetic_{name}",
                f"{kind}* a, {kind}* b, {kind}* c",
                "a[i] = a[i] + b[i]; b[i] = a[i] * b[i] - c[i]; c[i] = a[i] / b[i];"
                "a[i + 1] = a[i] < b[i] ? b[i] : c[i]; a[i + 2] = a[i] / 10; a[i + 3] = -a[i];",
            )
        )
        if kind not in ("float", "double"):
            found.append(
                entry(
                    f"bits_{name}",
                    f"{kind}* a, {kind}* b, int n",
                    "a[i] = a[i] & b[i]; a[i + 1] = a[i] | b[i]; a[i + 2] = a[i] ^ b[i];"
                    "a[i + 3] = ~a[i]; b[i] = a[i] << n; b[i + 1] = a[i] >> n;"
                    "b[i + 2] = a[i] % b[i];",
                )
            )
    for source, target in itertools.permutations(NUMBERS, 2):
        found.append(
            entry(
                f"cast_{short_name(source)}_to_{short_name(target)}",
                f"{target}* out, {source}* in",
                f"out[i] = ({target})in[i];",
            )
        )
    for kind in ("__half", "__nv_bfloat16"):
        found.append(
            entry(
                f"arithmetic{kind}",
                f"{kind}* a, {kind}* b",
                "a[i] = a[i] + b[i] * a[i + 1]; b[i] = a[i] / b[i]; if (a[i] < b[i]) a[i] = -b[i];",
            )
        )
    return found


def atomics() -> list[tuple[str, str]]:
    """Each operation, type and scope in global and shared memory and where the space is unknown."""
    found = []
    for kind, suffix in ATOMIC_TYPES.items():
        operations = ["Min", "Max", "And", "Or", "Xor"]
        operations += ["Add", "Exch"] if kind != "long long" else []
        operations += ["Inc", "Dec"] if kind == "unsigned" else []
        for operation, scope in itertools.product(operations, ("", "_block", "_system")):
            call = f"atomic{operation}{scope}"
            found.append(
                entry(
                    f"{call}_{suffix}",
                    f"{kind}* p, {kind} v, {kind}* out, bool b",
                    f"__shared__ {kind} s[4]; s[i] = v; out[i] = {call}(p + i, v);"
                    f"{call}(p, v); out[i + 1] = {call}(s + i, v);"
                    f"out[i + 2] = {call}(b ? p : s, v);",
                )
            )
        if kind != "long long":
            found.append(
                entry(
                    f"atomicCAS_{suffix}",
                    f"{kind}* p, {kind} v",
                    f"__shared__ {kind} s[4]; s[i] = v; p[i] = atomicCAS(p, v, p[i]);"
                    "p[i + 1] = atomicCAS(s + i, v, p[i]); p[i + 2] = atomicCAS_block(p, v, v);"
                    "p[i + 3] = atomicCAS_system(p, v, v);",
                )
            )
    for kind in ("float", "double"):
        found.append(
            entry(
                f"atomicAdd_{kind}",
                f"{kind}* p, {kind} v",
                f"__shared__ {kind} s[4]; s[i] = v; p[i] = atomicAdd(p, v);"
                "p[i + 1] = atomicAdd(s, v); p[i + 2] = atomicAdd_block(p, v);"
                "p[i + 3] = atomicAdd_system(p, v);",
            )
        )
    return found


def control() -> list[tuple[str, str]]:
    cases = " ".join(f"case {k * k}: out[i] = {k} + n * {k}; break;" for k in range(40))
    return [
        entry("switches", "int* out, int n", f"switch (n) {{ {cases} default: out[i] = 0; }}"),
        entry("prints", "int n, float x", 'printf("%d %f %s\\n", n + i, x, "text");'),
        entry("asserts", "int n", "assert(n > i);"),
        entry("traps", "int n", "if (n > i) __trap();"),
        entry("allocates", "int n", "char* p = (char*)malloc(n); p[0] = 1; free(p);"),
        entry("structures", "Big* out, Big big, int k", "out[i] = changed(big, k + i);"),
        entry("pointers", "int* out, int n", "out[i] = functions[n & 1](n) + *global_pointer;"),
        entry(
            "virtuals",
            "int* out, int n",
            "Square a; Line b; const Shape* s = i & 1 ? (const Shape*)&a : &b;out[i] = s->area(n);",
        ),
        entry("constants", "double* out, int n", "out[i] = constant_table[(n + i) & 7];"),
        entry("dynamic", "double* out", "dynamic_shared[i] = i; out[i] = dynamic_shared[31 - i];"),
        entry("copies", "char* a, char* b, int n", "memcpy(a + i, b, 48); memset(b, i, n);"),
        entry("fields", "Big* out, Big b", "out[i].a = b.b[i % 10]; out[i].b[i % 3] = 1;"),
        entry(
            "long_integers",
            "__int128* a, __int128* b, unsigned __int128* c",
            "a[i] = a[i] * b[i] + a[i + 1]; b[i] = a[i] / b[i]; c[i] = c[i] % c[i + 1];"
            "c[i + 1] = c[i] >> 5; if (a[i] < b[i]) a[i] = -a[i];",
        ),
        entry(
            "rotates",
            "unsigned* a, int n",
            "a[i] = __funnelshift_l(a[i], a[i + 1], n); a[i + 1] = (a[i] << 7) | (a[i] >> 25);",
        ),
        entry(
            "barriers",
            "int* out, int n",
            "__syncthreads(); out[i] = __syncthreads_count(n > i); __syncthreads();"
            "out[i] += __syncthreads_and(n > i) + __syncthreads_or(n < i); __syncwarp(n);",
        ),
        entry(
            "warps",
            "int* out, int n, long long* wide, float* real, double* big",
            "out[i] = __shfl_sync(~0u, n, i) + __shfl_up_sync(~0u, n, 1);"
            "out[i] += __shfl_xor_sync(~0u, n, 3); wide[i] = __shfl_down_sync(~0u, wide[i], 2, 16);"
            "real[i] = __shfl_sync(~0u, real[i], 3); big[i] = __shfl_sync(~0u, big[i], 3);"
            "out[i + 1] = __ballot_sync(n, i > 3);"
            "out[i + 2] = __any_sync(n, i) + __all_sync(n, i > 1) + __activemask();"
            "out[i + 3] = __match_any_sync(~0u, wide[i]); int p;"
            "out[i] += __match_all_sync(n, i, &p) + p;",
        ),
        entry(
            "spaces",
            "int* out, const int* in",
            "__shared__ int s; int own = i; out[i] = __isShared(&s) + __isGlobal(in);"
            "out[i + 1] = __isLocal(&own) + __isConstant(constant_table);",
        ),
        entry("indices", "uint3* out", "out[i] = threadIdx; out[1] = blockIdx;"),
    ]


def assembly(arch: int) -> list[tuple[str, str]]:
    """Forms that stand in inline assembly only."""
    texts = {
        "carries": "add.cc.u32 %0, %0, %1; addc.cc.u32 %0, %0, %1; addc.u32 %0, %0, %1;"
        "sub.cc.u32 %0, %0, %1; subc.cc.u32 %0, %0, %1; subc.u32 %0, %0, %1;",
        "products": "mad.lo.cc.u32 %0, %0, %1, %0; madc.hi.cc.u32 %0, %0, %1, %0;"
        "madc.hi.u32 %0, %0, %1, %0;",
        "logic": "lop3.b32 %0, %0, %1, %0, 0x96; prmt.b32 %0, %0, %1, 0x3340U;"
        "shf.l.clamp.b32 %0, %0, %1, 3; shf.r.wrap.b32 %0, %0, %1, %1;",
        "scopes": "{ .reg .b32 low, high; .reg.pred %temp; mov.b32 low, %0;"
        " setp.ne.u32 %temp, low, 0; @!%temp mov.b32 low, %1; mov.b32 %0, low;}",
        "halves": "{ .reg .b16 low, high; mov.b32 {low, high}, %0; mov.b32 %0, {high, low}; }",
        "named": "mov.u32 %0, %laneid; mov.u32 %0, %smid; mov.u32 %0, %lanemask_lt;"
        "mov.u32 %0, %warpid; mov.u32 %0, %nsmid; mov.u32 %0, %nwarpid; mov.u32 %0, %lanemask_ge;"
        "mov.u32 %0, %clock; mov.u32 %0, WARP_SZ; mov.u32 %0, %globaltimer_lo;"
        "mov.u32 %0, %total_smem_size; mov.u32 %0, %dynamic_smem_size;",
        "fences": "fence.acq_rel.gpu; fence.sc.sys; membar.gl; membar.cta; membar.sys;",
        "named_barriers": "bar.sync 1, 64; barrier.cta.arrive 2, 64; bar.warp.sync %1;",
        "rest": "nanosleep.u32 %1; pmevent 3; bfe.u32 %0, %0, %1, 5; sad.u32 %0, %0, %1, %0;"
        "bfind.shiftamt.u32 %0, %0;",
        "leaves": "exit;",
        "breaks": "brkpt;",
    }
    wide = {
        "clocks": "mov.u64 %0, %clock64; mov.u64 %0, %globaltimer; mov.u64 %0, %gridid;",
        "prefetches": "prefetch.global.L2 [%1]; prefetch.L1 [%1];",
        "orders": "ld.acquire.gpu.global.u64 %0, [%1]; st.release.sys.global.u64 [%1], %0;"
        "ld.relaxed.sys.u64 %0, [%1]; ld.volatile.global.u64 %0, [%1]; fence.acq_rel.cta;",
        "packs": "{ .reg .b32 low, high; mov.b64 {low, high}, %0; mov.b64 %0, {high, low};"
        " mov.b64 {low, _}, %0; mov.b64 {_, high}, %0; mov.b64 %0, {low, 0}; }",
        "fields": "bfi.b64 %0, %0, %1, 8, 16; brev.b64 %0, %1; selp.b64 %0, %0, %1, 1;",
    }
    if arch >= 80:
        wide["copies"] = (
            "{ .reg .b32 to; cvt.u32.u64 to, %0; cp.async.ca.shared.global [to], [%1], 4;"
            " cp.async.cg.shared.global [to+16], [%1+16], 16; cp.async.commit_group;"
            " cp.async.wait_group 0; cp.async.wait_all; }"
        )
    if arch >= 90:
        texts["clusters"] = (
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
            "mov.u32 %0, %cluster_ctarank; mov.u32 %0, %cluster_nctarank;"
        )
        texts["dependents"] = "griddepcontrol.wait; griddepcontrol.launch_dependents;"
    return [
        *(assembly_entry(name, text, "unsigned", "r") for name, text in texts.items()),
        *(assembly_entry(name, text, "unsigned long long", "l") for name, text in wide.items()),
    ]


def assembly_entry(name: str, text: str, kind: str, letter: str) -> tuple[str, str]:
    escaped = re.sub(r"%(?=[a-z_])", "%%", text)
    body = f'asm volatile("{escaped}" : "+{letter}"(a[i]) : "{letter}"(b));'
    return entry(f"asm_{name}", f"{kind}* a, {kind} b", body)


def unit(arch: int) -> Unit:
    """All kernels that an architecture of this number has."""
    kernels = accesses() + arithmetic() + atomics() + control() + assembly(arch)
    return Unit(HEAD, dict(kernels))
