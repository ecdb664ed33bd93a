"""`npp.inspect`: what a ufunc is made of, as text, the same every time."""

import math
import platform
import shutil
import subprocess

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda
from numpy_plugin._inspection.disassembly import find_nvdisasm

SIGNATURES = ["float32(float32, float32, float32)", "float64(float64, float64, float64)"]
SQRT_2PI = math.sqrt(2 * math.pi)


def gaussian_pdf(x, mean, sigma):
    """The normal distribution's density."""
    z = (x - mean) / sigma
    return math.exp(-0.5 * z * z) / (sigma * SQRT_2PI)


def declare(**options):
    return npp.vectorize(SIGNATURES, **options)(gaussian_pdf)


@pytest.fixture(scope="module")
def f():
    return declare()


@pytest.fixture(scope="module")
def total():
    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    def total(a, out):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i]
        out[0] = s

    return total


def test_signatures(f, total):
    assert npp.inspect(f).signatures == SIGNATURES
    assert npp.inspect(total).signatures == ["void(float64[:], float64[:])"]


def test_signatures_of_a_ufunc_compiled_for_each_call():
    square = npp.vectorize(lambda x: x * x)
    assert npp.inspect(square).signatures == []
    with pytest.raises(ValueError, match="nothing is compiled before the first call"):
        npp.inspect(square).source()
    square(np.float32(2))
    assert npp.inspect(square).signatures == ["float32(float32)"]
    square(2)
    assert sorted(npp.inspect(square).signatures) == ["float32(float32)", "int64(int64)"]
    assert "float call(float x)" in npp.inspect(square).source("cpu", "f->f")


def test_python(f):
    assert npp.inspect(f).python is gaussian_pdf
    body = npp.vectorize(["d->d"], args="x", body="return x;")
    assert npp.inspect(body).python is None


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_source_is_the_same_every_time(f, target):
    text = npp.inspect(f).source(target)
    assert text == npp.inspect(f).source(target)
    assert text == npp.inspect(declare()).source(target)
    assert text == npp.inspect(declare(cache=False)).source(target)
    other = npp.vectorize(SIGNATURES)(lambda x, mean, sigma: x + mean + sigma)
    assert text != npp.inspect(other).source(target)


def test_source_is_the_same_in_another_process(f, tmp_path):
    """Nothing of the order of sets and dictionaries, of addresses or directories is in it."""
    import inspect as python_inspect
    import os
    import sys

    program = tmp_path / "declare.py"
    program.write_text(
        f"import math, sys\nimport numpy_plugin as npp\nSQRT_2PI = {SQRT_2PI!r}\n"
        f"{python_inspect.getsource(gaussian_pdf)}"
        f"f = npp.vectorize({SIGNATURES!r})(gaussian_pdf)\n"
        "sys.stdout.write(npp.inspect(f).source('cpu') + npp.inspect(f).source('cuda'))\n"
    )
    path = os.pathsep.join(item for item in sys.path if item)
    for seed in "1", "2":
        result = subprocess.run(
            [sys.executable, program],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert result.stdout == npp.inspect(f).source("cpu") + npp.inspect(f).source("cuda")


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("signature", SIGNATURES)
def test_source_is_small(f, target, signature):
    text = npp.inspect(f).source(target, signature)
    # For the CPU a second form, in lanes, with this package's exp and the C library's.
    assert len(text.encode()) < (1700 if target == "cpu" else 1500)
    assert max(len(line) for line in text.splitlines()) < (350 if target == "cpu" else 300)


def test_source_of_one_signature(f):
    inspection = npp.inspect(f)
    wide = inspection.source("cpu", "ddd->d")
    assert "double call(double x, double mean, double sigma)" in wide
    assert "float call(" not in wide
    assert wide.count("npp_loop_0") == 1
    assert "npp_loop_1" not in wide
    for spelling in (SIGNATURES[1], "f8(f8,f8,f8)", npp.float64(*[np.float64] * 3)):
        assert inspection.source("cpu", spelling) == wide
    both = inspection.source()
    assert both.index("float call(") < both.index("double call(")
    assert "npp_loop_1" in both


def test_source_of_a_generalized_kernel(total):
    assert "npp_loop_0" in npp.inspect(total).source("cpu")
    assert "npp_generalized_0" in npp.inspect(total).source("cuda")


def test_source_has_the_names_of_the_kernel(f):
    text = npp.inspect(f).source("cpu", "fff->f")
    assert "float z = " in text
    assert "float x, float mean, float sigma" in text
    assert SIGNATURES[0] in text


def test_source_of_a_body_has_the_body():
    body = "double r = x * x;\nreturn r / 3;"
    text = npp.inspect(npp.vectorize(["d->d"], args="x", body=body)).source()
    assert all(line in text for line in body.splitlines())


def test_assembly(f, total):
    for ufunc in (f, total):
        text = npp.inspect(ufunc).assembly()
        assert "\nnpp_loop_0:" in text
    assert "\nnpp_loop_1:" in npp.inspect(f).assembly()
    assert "\nnpp_loop_1:" not in npp.inspect(f).assembly("ddd->d")


def has_vector_library():
    return platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"


@pytest.mark.skipif(not has_vector_library(), reason="glibc's vector functions are for x86-64")
def test_assembly_calls_the_vector_library():
    def sine(x):
        return math.sin(x)

    vector = npp.inspect(npp.vectorize(["f->f", "d->d"])(sine))
    assert "_ZGV" in vector.assembly("f->f")
    assert "_ZGV" in vector.assembly("d->d")
    assert "_ZGV" not in npp.inspect(npp.vectorize(["d->d"], math="libm")(sine)).assembly()
    assert "_ZGV" not in npp.inspect(npp.vectorize(["d->d"])(lambda x: x * x)).assembly()


@pytest.mark.skipif(shutil.which("g++") is None, reason="the assembler comes with g++")
def test_assembly_can_be_assembled(f, tmp_path):
    source = tmp_path / "loop.s"
    source.write_text(npp.inspect(f).assembly())
    subprocess.run(["g++", "-c", source, "-o", tmp_path / "loop.o"], check=True)
    assert (tmp_path / "loop.o").read_bytes().startswith(b"\x7fELF")


def test_ptx(f, nvrtc):
    text = npp.inspect(f).ptx("ddd->d", arch="sm_80")
    assert "\n.target sm_80" in text
    assert ".visible .entry npp_contiguous_0" in text
    assert "npp_contiguous_1" not in text
    assert text == npp.inspect(declare()).ptx(SIGNATURES[1], arch="sm_80")
    assert "npp_contiguous_1" in npp.inspect(f).ptx()
    assert "\n.target sm_90" in npp.inspect(f).ptx()


def test_cubin(f, nvrtc):
    first, second = (npp.inspect(f).cubin("fff->f", arch=arch) for arch in ("sm_80", "sm_90"))
    assert first.startswith(b"\x7fELF")
    assert first != second


def test_resources(f, total, nvrtc):
    rows = npp.inspect(f).resources(arch="sm_90")
    assert [row.name for row in rows] == ["npp_contiguous_0", "npp_contiguous_1"]
    for row in rows:
        assert 8 <= row.n_registers <= 255
        assert (row.spill_store_bytes, row.spill_load_bytes, row.shared_bytes) == (0, 0, 0)
        assert row.constant_bytes > 0
    (row,) = npp.inspect(f).resources("ddd->d", arch="sm_90")
    assert row == rows[1]._replace(name="npp_contiguous_0")
    assert npp.inspect(total).resources()[0].name == "npp_generalized_0"


def test_resources_show_what_a_kernel_needs(nvrtc):
    large = npp.vectorize(
        ["float64(float64, int64)"],
        args="x, k",
        body="double t[64];\nfor (int i = 0; i < 64; ++i) t[i] = x * i;\nreturn t[k & 63];",
    )
    assert npp.inspect(large).resources(arch="sm_80")[0].stack_bytes >= 512


@pytest.mark.parametrize("target", ["gpu", "parallel", "CPU", ""])
def test_unknown_target(f, target):
    with pytest.raises(ValueError) as caught:
        npp.inspect(f).source(target)
    assert str(caught.value) == f"unknown target '{target}'; expected one of cpu, cuda"


@pytest.mark.parametrize("view", ["source", "assembly", "ptx", "cubin", "resources"])
def test_unknown_signature(f, view):
    with pytest.raises(ValueError) as caught:
        getattr(npp.inspect(f), view)(signature="ff->f")
    assert str(caught.value) == (
        f"'gaussian_pdf' has no kernel for ff->f; there is {'; '.join(SIGNATURES)}"
    )


def test_signature_that_cannot_be_read(f):
    with pytest.raises(npp.SignatureError, match="unknown type 'flaot32'"):
        npp.inspect(f).source("cpu", "flaot32(float32)")
    with pytest.raises(TypeError, match="a signature must be a str or made of types, not int"):
        npp.inspect(f).source("cpu", 3)


@pytest.mark.parametrize("item", [np.frompyfunc(abs, 1, 1), 3, None, gaussian_pdf])
def test_what_is_no_ufunc_of_this_package(item):
    with pytest.raises(TypeError) as caught:
        npp.inspect(item)
    assert str(caught.value) == (
        f"expected a ufunc made by numpy_plugin, found {type(item).__name__}"
    )


def test_explain_counts_what_a_call_does_on_a_device():
    saxpy = npp.vectorize(
        ["float32(float32, float32, float32)"], args="a, x, y", body="return a * x + y;"
    )
    n = 4096
    x = np.ones(n, np.float32)
    found = npp.inspect(saxpy).explain(np.float32(2), x, x, arch="sm_80")
    assert found.device == "numpy_plugin simulator (sm_80)"
    assert (found.elements, found.bytes_loaded, found.bytes_stored) == (n, 8 * n, 4 * n)
    assert found.transactions == 12 * n // 32
    assert found.instructions_by_class["float32"] == 2 * n
    assert found.instructions == sum(found.instructions_by_class.values())
    assert found.divergent_branches == 0
    assert f"{4 * n:,}        4.00 per element" in str(found)
    with pytest.raises(TypeError, match="not supported for the input types"):
        npp.inspect(saxpy).explain(x * 1j, x, x)


def double(x):
    return x + x


@pytest.fixture(scope="module")
def doubles():
    signatures = ["float32(float32)", "float64(float64)"]
    return {
        target: npp.vectorize(signatures, target=target)(double)
        for target in ("auto", "cpu", "parallel", "cuda")
    }


def explained(ufunc, *operands, **keywords):
    return npp.inspect(ufunc).explain(*operands, **keywords)


def test_explain_says_that_a_target_decides(doubles, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CUDA", "off")
    x = np.ones(1000, np.float32)
    for target in ("cpu", "parallel"):
        found = explained(doubles[target], x)
        assert (found.place, found.why) == ("the CPU", f'the target is "{target}"')
        assert (found.bytes_to_device, found.bytes_to_host, found.pieces) == (0, 0, 0)
        assert found.seconds.compute > 0 == found.seconds.transfer == found.seconds.launch
    for target, why in (
        ("auto", "host arrays stay on the host unless"),
        ("cuda", "no GPU can be used ("),
    ):
        found = explained(doubles[target], x)
        assert found.place == "the CPU"
        assert found.why.startswith(why)


def test_explain_says_what_is_moved(doubles):
    with cuda.simulator():
        x = np.ones((1000, 2), np.float32)[:, 0]
        found = explained(doubles["cuda"], x)
        assert found.place == "numpy_plugin simulator (sm_90)"
        assert found.why == 'the target is "cuda"'
        assert (found.bytes_to_device, found.bytes_to_host, found.pieces) == (4000, 4000, 1)
        assert found.seconds.transfer > 0
        assert "transfers 4,000 bytes to the device and 4,000 back, in 1 piece" in str(found)
        found = explained(doubles["auto"], x)
        assert found.place == "the CPU"
        assert found.why.startswith("host arrays stay on the host unless numpy_plugin.offload()")


def test_explain_of_device_arrays(doubles):
    with cuda.simulator("sm_80"):
        x = cuda.to_device(np.ones((300, 1200), np.float32))
        found = explained(doubles["auto"], x[:, :-1], dtype=np.float64)
        assert found.place == "numpy_plugin simulator (sm_80)"
        assert found.why == "operand 1 is an array of 'numpy_plugin simulator (sm_80)'"
        assert (found.bytes_to_device, found.bytes_to_host) == (0, 0)
        assert found.device == "numpy_plugin simulator (sm_90)"
        assert found.elements == 300 * 1199
        assert found.launch.form == "rows"
        assert found.bytes_stored == 8 * 300 * 1199
        assert found.launch.casts == ("input 1: float32 to float64",)
        assert "cast of input 1: float32 to float64" in str(found)


def test_explain_takes_nothing_that_calls_write(doubles):
    x = np.ones(3)
    with pytest.raises(TypeError, match="takes no out="):
        explained(doubles["cpu"], x, out=np.ones(3))


def test_sass_shows_machine_instructions(doubles):
    if find_nvdisasm() is None:
        pytest.skip("there is no nvdisasm here")
    listing = npp.inspect(doubles["cpu"]).sass("float32(float32)", arch="sm_80")
    assert "FADD" in listing and "DADD" not in listing


def test_device_kernels_of_reductions_are_shown(f, total):
    @npp.vectorize(["float32(float32, float32)"])
    def plus(x, y):
        return x + y

    assert ".entry npp_reduce_vector_rows_0" in npp.inspect(plus).ptx(form="reduce vector_rows")
    assert ".entry npp_reduce_columns_0" in npp.inspect(plus).ptx(form="reduce masked columns")
    for form in ("reduce blocks", "reduce masked scan"):
        with pytest.raises(ValueError, match=f"form '{form}'; expected 'reduce' and one of"):
            npp.inspect(plus).ptx(form=form)
    for other in (f, total):
        with pytest.raises(ValueError, match=r"has no reduction for .*; expected two numbers"):
            npp.inspect(other).ptx(form="reduce rows")


def test_an_inspection_names_what_it_looks_at():
    body = npp.guvectorize("d->d", "(n)->(n)", name="body", args="a", outs="b", body="b(0) = a(0);")
    assert repr(npp.inspect(body)) == (
        "<Inspection of ufunc 'body' from a C++ body, layout '(n)->(n)', "
        f"signatures: {npp.inspect(body).signatures[0]}>"
    )
    assert repr(npp.inspect(np.hypot)).startswith("<Inspection of ufunc 'hypot' from generated ")

    @npp.vectorize
    def lazy(x):
        return x

    where = "'test_an_inspection_names_what_it_looks_at.<locals>.lazy'"
    name = f"<Inspection of ufunc 'lazy' from {where}, signatures: "
    assert repr(npp.inspect(lazy)) == f"{name}none yet>"
    lazy(1.0)
    assert repr(npp.inspect(lazy)) == f"{name}float64(float64)>"
