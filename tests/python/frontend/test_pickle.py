"""Ufuncs and device functions that travel: pickle, copy, processes that start anew."""

import copy
import multiprocessing
import operator
import pickle

import numpy as np
import pytest
from kernel_source import define, function
from machines.fresh_process import end_of

import numpy_plugin as npp
from numpy_plugin import cuda
from numpy_plugin._frontend import pickle as ufunc_pickle

SOURCE = """
SCALE = 0.5
OFFSETS = (1, 2.5)

@npp.device
def inner(x):
    return x * SCALE

@npp.device
def helper(x, y):
    return inner(x) + y, y

def outer(n):
    @npp.vectorize(["float32(float32, float32)", "float64(float64, float64)"], name="sent",
                   identity=0, target="cpu")
    def f(x, y):
        \"\"\"Doc of f.\"\"\"
        a, b = helper(x, y)
        return a * b + OFFSETS[1] + n
    return f

f = outer(3)
"""
X, Y = np.linspace(-2, 2, 9), np.linspace(1, 3, 9)


def forgetful(data: bytes):
    """Unpickle as a process would that has seen none of it."""
    ufunc_pickle._recent.clear()
    return pickle.loads(data)


@pytest.fixture(scope="module")
def sent():
    return define(SOURCE)["f"]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_the_declaration_travels(sent, protocol):
    received = forgetful(pickle.dumps(sent, protocol))
    assert received is not sent
    assert type(received) is np.ufunc
    assert received.types == sent.types == ["ff->f", "dd->d"]
    assert (received.__name__, received.__doc__) == ("sent", sent.__doc__)
    assert received.__doc__.endswith("\n\nDoc of f.")
    assert (received.identity, received.__qualname__) == (0, "outer.<locals>.f")
    np.testing.assert_array_equal(received(X, Y), sent(X, Y))


def test_a_ufunc_in_the_same_process_is_itself(sent):
    assert pickle.loads(pickle.dumps(sent)) is sent
    assert copy.copy(sent) is sent
    assert copy.deepcopy({"f": [sent]})["f"][0] is sent


def test_ufuncs_that_differ_in_a_constant_stay_apart():
    source = "def f(x):\n    return x * {}\n"
    made = [npp.vectorize(function(source.format(text))) for text in ("1", "1.0", "-0.0", "0.0")]
    received = [pickle.loads(pickle.dumps(item)) for item in made]
    results = [item(np.int8(3)) for item in received]
    assert [item.dtype for item in results] == [np.int8, np.float64, np.float64, np.float64]
    assert np.signbit(results).tolist() == [False, False, True, False]


def test_only_the_last_ones_are_kept():
    ufunc_pickle._recent.clear()
    for number in range(ufunc_pickle._MAX_RECENT + 5):
        pickle.dumps(npp.vectorize(function(f"def f(x):\n    return x + {number}\n")))
    assert len(ufunc_pickle._recent) == ufunc_pickle._MAX_RECENT


def test_declarations_of_earlier_builds():
    text = "def f(x):\n    a = npp.local_array(2, np.float64)\n    a[1] = x\n    return a[1] * 2\n"
    kernel = npp.vectorize(["float64(float64)"])(function(text))
    data = pickle.dumps(kernel, 0)
    earlier_names = {
        b"cuda.local.array": b"numpy_plugin._local.array",
        b"fastmath": b"fast_math",
        b"cache": b"use_cache",
    }
    for now, earlier in earlier_names.items():
        assert data.count(b"V" + now + b"\n") == 1
        data = data.replace(b"V" + now + b"\n", b"V" + earlier + b"\n")
    received = forgetful(data)
    np.testing.assert_array_equal(received(X), X * 2)
    np.testing.assert_array_equal(forgetful(pickle.dumps(received))(X), X * 2)
    include = b'#include "%s/random.hpp"'
    data = pickle.dumps(npp.random.uniform, 0)
    assert include % b"npp/math" in data
    received = forgetful(data.replace(include % b"npp/math", include % b"numpy_plugin"))
    assert received(1, 2) == npp.random.uniform(1, 2)


def test_names_in_pickles_of_earlier_builds():
    names = [
        ("_cuda.atomic", "_atomic", "add"),
        ("_cuda.faults", "_faults", "Faults"),
        ("_cuda.raw_kernel", "_raw_kernel", "Launch"),
        ("_cuda.thread_functions", "_thread_functions", "ThreadTriple"),
        ("_frontend.declare", "_declare", "vectorize"),
        ("_frontend.external", "_external", "DeclaredFunction"),
        ("_frontend.pickle", "_pickle", "rebuild_ufunc"),
        ("_frontend.types", "_types", "KernelType"),
        ("_inspection.resources", "_resources", "KernelResources"),
    ]
    for now, earlier, name in names:
        data = [f"cnumpy_plugin.{module}\n{name}\n.".encode() for module in (earlier, now)]
        code = f"import pickle; a, b = map(pickle.loads, {data!r}); assert a is b"
        assert end_of(code).returncode == 0, earlier


def test_every_kind_of_declaration():
    kinds = [
        npp.vectorize(["float64(float64)"], body="return x + 1;", args="x"),
        npp.vectorize(body="q = x; r = -x;", args="x", outs="q, r", preamble="// none\n"),
        npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(
            function("def f(a, out):\n    out[0] = a[0] + 1\n")
        ),
        npp.fuse(function("def f(x):\n    return np.where(x > 0, x, 0).astype(np.float32)\n")),
        npp.vectorize(lambda x: x * 2),
    ]
    for ufunc in kinds:
        received = forgetful(pickle.dumps(ufunc))
        assert received.signature == ufunc.signature
        np.testing.assert_array_equal(received(X), ufunc(X))


def test_what_arrives_compiles_for_devices(sent):
    received = forgetful(pickle.dumps(sent))
    with cuda.simulator():
        on_device = received(cuda.to_device(X), cuda.to_device(Y))
        np.testing.assert_array_equal(on_device.copy_to_host(), sent(X, Y))


def test_errors_of_what_arrives_show_the_text_it_was_made_from():
    f = npp.vectorize(function("def f(x):\n    return x << 1\n"))
    received = forgetful(pickle.dumps(f))
    with pytest.raises(npp.KernelError, match="'<<' needs integers, x is float64") as caught:
        received(1.5)
    assert "    return x << 1" in str(caught.value)
    assert received(2) == 4


def test_a_process_that_starts_anew(sent):
    local = npp.vectorize(lambda x: x + 0.25)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        tasks = [(sent, X, Y), (local, X), (np.add, X, Y), (sent, Y, X)]
        results = pool.starmap(operator.call, tasks)
    for result, (ufunc, *operands) in zip(results, tasks, strict=True):
        np.testing.assert_array_equal(result, ufunc(*operands))


def test_a_process_that_does_not_know_the_package(sent, tmp_path):
    (tmp_path / "f.pickle").write_bytes(pickle.dumps((sent, X, Y)))
    code = (
        "import pickle, sys; f, x, y = pickle.load(open(sys.argv[1], 'rb')); print(f(x, y).sum())"
    )
    done = end_of(code, str(tmp_path / "f.pickle"))
    assert float(done.stdout) == sent(X, Y).sum(), done.stderr


def test_cloudpickle(sent):
    cloudpickle = pytest.importorskip("cloudpickle")
    data = cloudpickle.dumps({"f": sent, "call": lambda x, y: sent(x, y)})
    received = forgetful(data)
    np.testing.assert_array_equal(received["call"](X, Y), sent(X, Y))


def test_ufuncs_of_others_go_by_name():
    assert pickle.loads(pickle.dumps(np.add)) is np.add
    assert copy.copy(np.add) is np.add
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(np.frompyfunc(lambda x: x, 1, 1))


def test_a_pickle_of_another_version_says_so(sent, monkeypatch):
    data = pickle.dumps(sent)
    monkeypatch.setattr(npp, "__version__", "9.9")
    with pytest.raises(pickle.UnpicklingError, match=r"numpy_plugin 0\.1\.0, this is 9\.9"):
        pickle.loads(data)


def test_operands_of_other_libraries_see_a_ufunc_that_travels(sent):
    class Recorder:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc

    seen = sent(Recorder(), 1.0)
    assert seen is sent
    received = forgetful(pickle.dumps(seen))
    assert received.__name__ == "sent"
    assert received(X, Y).tolist() == sent(X, Y).tolist()


def test_device_functions_travel_by_value():
    names = define(SOURCE)
    helper = pickle.loads(pickle.dumps(names["helper"]))
    assert repr(helper) == "<device function helper>"
    assert copy.copy(helper) is helper
    twice = pickle.loads(pickle.dumps(helper))
    first = names["inner"]
    text = "def f(x, y):\n    return first(x) + twice(x, y)[0] + helper(y, x)[0]\n"
    f = npp.vectorize(["float64(float64, float64)"])(
        function(text, first=first, twice=twice, helper=helper)
    )
    assert f(2.0, 3.0) == 1.0 + 4.0 + 3.5
    with pytest.raises(TypeError, match="'helper' was unpickled: only kernels can call it"):
        helper(1.0, 2.0)


def test_device_functions_of_modules_travel_by_name(monkeypatch, tmp_path):
    (tmp_path / "sent_module.py").write_text(
        "import numpy_plugin as npp\n\n@npp.device\ndef half(x):\n    return x / 2\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import sent_module

    assert pickle.loads(pickle.dumps(sent_module.half)) is sent_module.half
    assert sent_module.half(3) == 1.5
