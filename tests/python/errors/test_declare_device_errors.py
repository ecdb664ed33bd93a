"""declare_device: what is wrong with a declaration, or with the code, is said by name."""

import numpy as np
import pytest
from device_parts import MACHINE_CODE, PTX, compile_source

import numpy_plugin as npp
from numpy_plugin import cuda

SIGNATURE = "int32(int32, int32)"
C_SOURCE = "int bar(int x, int y) { return 2 * x + y; }"
CUDA_SOURCE = 'extern "C" __device__ int bar(int x, int y) { return 2 * x + y; }'


def part(form, source=CUDA_SOURCE) -> bytes:
    return compile_source(source, form)


def kernel_of(bar):
    @npp.vectorize([SIGNATURE])
    def kernel(x, y):
        return bar(x, y)

    return kernel


def call_on_simulator(kernel):
    with cuda.simulator(memory="16 MiB"):
        x = cuda.to_device(np.arange(3, dtype=np.int32))
        return kernel(x, x).copy_to_host()


DECLARATIONS = [
    ({}, ValueError, "'bar' is declared without code"),
    (
        {"signature": "int32, int32(int32)"},
        npp.SignatureError,
        "2 results; an external function has 1",
    ),
    (
        {"signature": "complex64(int32)"},
        npp.SignatureError,
        "declared with complex64; an external function",
    ),
    ({"signature": "int33(int32)"}, npp.SignatureError, "int33"),
    ({"name": "bar()"}, npp.SignatureError, "'bar\\(\\)' is not a valid C function name"),
    ({"source": "int baz(int x) { return x; }"}, ValueError, "(?s)no function 'bar'.*'baz'"),
    ({"cpu": "/nowhere/bar.c"}, FileNotFoundError, "bar.c"),
    ({"cpu": "/nowhere/libbar.so"}, OSError, "libbar.so"),
    ({"link": "/nowhere/bar.ptx"}, FileNotFoundError, "bar.ptx"),
    ({"link": "bar.cu"}, ValueError, "(?s)bar.cu is a source, link= takes .*as source="),
    ({"link": b"\x00\x01\x02"}, ValueError, "the linked code 1 is not device code"),
]


@pytest.mark.parametrize(("changed", "kind", "text"), DECLARATIONS)
def test_mistakes_of_a_declaration(changed, kind, text):
    arguments = {"name": "bar", "signature": SIGNATURE} | changed
    if "cpu" not in changed and changed.keys() & {"signature", "name"}:
        arguments["cpu"] = C_SOURCE
    with pytest.raises(kind, match=text):
        npp.declare_device(arguments.pop("name"), arguments.pop("signature"), **arguments)


def test_ptx_is_compared_with_the_declaration():
    ptx = part(PTX)
    with pytest.raises(npp.SignatureError, match=r"'bar' is declared as int64.*it takes"):
        npp.declare_device("bar", "int64(int32, int32)", link=ptx)
    with pytest.raises(npp.SignatureError, match=r"in the linked code 1 it takes \(b32, b32\)"):
        npp.declare_device("bar", "int32(int32)", link=ptx)
    with pytest.raises(ValueError, match="no function 'baz'; there is bar"):
        npp.declare_device("baz", SIGNATURE, link=ptx)
    mangled = part(PTX, "__device__ int bar(int x) { return x; }\n__device__ int (*p)(int) = bar;")
    with pytest.raises(ValueError, match=r"hint: put extern \"C\" before bar\(int\)"):
        npp.declare_device("bar", "int32(int32)", link=mangled)


def test_sources_are_compared_with_the_declaration():
    bar = npp.declare_device("bar", SIGNATURE, cpu="double bar(int x, int y) { return x; }")
    with pytest.raises(
        npp.CompilerError, match=r"'bar' is declared as int32.* defined with other types"
    ):
        kernel_of(bar)
    wrong = npp.declare_device("bar", SIGNATURE, cpu="int bar(int x, int y) { return z; }")
    with pytest.raises(npp.CompilerError, match=r"(?s)'z'.*<cpu source of 'bar'>"):
        kernel_of(wrong)


def test_machine_code_does_not_run_on_a_simulated_device():
    bar = npp.declare_device("bar", SIGNATURE, link=part(MACHINE_CODE), cpu=C_SOURCE)
    with pytest.raises(npp.CompilerError, match="machine code only"):
        call_on_simulator(kernel_of(bar))


def test_what_linked_code_lacks_is_named():
    calls = (
        'extern "C" __device__ int more(int);\n'
        'extern "C" __device__ int bar(int x, int y) { return more(x) + y; }'
    )
    bar = npp.declare_device("bar", SIGNATURE, link=part(PTX, calls), cpu=C_SOURCE)
    with pytest.raises(npp.CompilerError, match="more"):
        call_on_simulator(kernel_of(bar))


def test_without_code_for_the_cpu_calls_there_fail_and_device_calls_work():
    bar = npp.declare_device("bar", SIGNATURE, source=CUDA_SOURCE)
    kernel, lazy = kernel_of(bar), npp.vectorize(lambda_of(bar))
    x = np.arange(3, dtype=np.int32)
    for _ in range(2):
        for ufunc in (kernel, lazy):
            with pytest.raises(npp.CompilerError, match=r"'bar' has no code for the CPU\n  hint: "):
                ufunc(x, x)
            assert call_on_simulator(ufunc).tolist() == [0, 3, 6]
    with pytest.raises(npp.CompilerError, match="'bar' has no code for the CPU"):
        npp.inspect(kernel).source("cpu")
    assert "bar" in npp.inspect(kernel).source("cuda")


def lambda_of(bar):
    return lambda x, y: bar(x, y)
