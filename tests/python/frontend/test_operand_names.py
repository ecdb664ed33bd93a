"""Operands named as something of C++'s, of CUDA's or of the generated code's."""

import keyword
import textwrap

import pytest

import numpy_plugin as npp

MACROS = ["NULL", "assert", "va_arg", "va_end", "NV_IS_HOST", "CUDART_VERSION"]
NAMES = """
    T abs auto blockDim blockIdx bool call cast catch char clock complex compute const cuda default
    delete dim3 do double enum errno exp explicit extern fabs float float64 goto gridDim half inline
    inputs int int32 isnan Kernel Kernel0 linux long main max memory min n namespace new npp
    NPP_X nullptr operands operator out outputs p printf private register result run shape short
    sin size_t state static std steps struct switch template this thread threadIdx throw typedef
    typename uint3 unix unsigned using value virtual void volatile warpSize wchar_t x
"""
GROUP = 30


def groups(names):
    return [names[begin : begin + GROUP] for begin in range(0, len(names), GROUP)]


@pytest.mark.parametrize("names", groups(MACROS + NAMES.split()))
def test_python_kernel(names, tmp_path, nvrtc):
    names = [name for name in names if not keyword.iskeyword(name)]
    source = f"def f({', '.join(names)}):\n    return {' + '.join(names)}\n"
    path = tmp_path / "kernel.py"
    path.write_text(textwrap.dedent(source))
    scope = {}
    exec(compile(source, path, "exec"), scope)
    f = npp.vectorize([f"float64({', '.join(['float64'] * len(names))})"])(scope["f"])
    assert f(*range(len(names))) == sum(range(len(names)))
    assert ".entry" in npp.inspect(f).ptx()


@pytest.mark.parametrize("name", MACROS)
def test_a_macro_is_refused_in_a_body(name):
    with pytest.raises(npp.SignatureError, match=f"'{name}' is a macro"):
        npp.vectorize(["float64(float64)"], args=name, body=f"return {name} + 1;")
