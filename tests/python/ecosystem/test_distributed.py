"""dask.distributed: worker processes, each with a simulated GPU; workers without this package."""

import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sample_ufuncs import halves, hypotenuse, running, split, total

import numpy_plugin as npp

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
da = pytest.importorskip("dask.array", reason="dask is not installed")
pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[3] / "examples" / "ecosystem"

# Runs in a worker before anything else, as if its environment lacked the package.
WITHOUT_PACKAGE = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy_plugin":
            raise ModuleNotFoundError("No module named 'numpy_plugin'", name=name)

sys.meta_path.insert(0, Absent())
"""
ANOTHER_VERSION = "import numpy_plugin; numpy_plugin.__version__ = '9.9'"


def example(name):
    """A program of examples/ecosystem as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_cluster(**options_of_workers):
    local = {"host": "127.0.0.1", "port": 0}
    workers = {
        name: {"cls": distributed.Nanny, "options": {**local, "nthreads": 1, **options}}
        for name, options in options_of_workers.items()
    }
    scheduler = {"cls": distributed.Scheduler, "options": {**local, "dashboard": False}}
    return distributed.SpecCluster(workers, scheduler)


@pytest.fixture(scope="module")
def client():
    simulated = {"NUMPY_PLUGIN_CUDA": "simulator", "NUMPY_PLUGIN_SIMULATED_DEVICES": "2"}
    gpus = {
        f"gpu{i}": {"env": {**simulated, "CUDA_VISIBLE_DEVICES": order}}
        for i, order in enumerate(("0,1", "1,0"))
    }
    with make_cluster(**gpus) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


@pytest.mark.usefixtures("client")
def test_ufuncs_travel_by_value():
    factor = 3.0
    local = npp.vectorize(["float64(float64)"])(lambda x: factor * x)
    x = da.arange(12, chunks=4, dtype="float64").reshape(3, 4)
    expected = x.compute()
    pairs = [
        (local(x), 3 * expected),
        (halves(x.astype("int32")), expected / 2),
        (hypotenuse(x, 0.0), expected),
        (total(x.rechunk({1: -1})), expected.sum(axis=1)),
        (running(x.rechunk({1: -1})), expected.cumsum(axis=1)),
        (split(x / 2)[1], expected // 2),
        (da.map_blocks(lambda block: local(block) + 1, x), 3 * expected + 1),
    ]
    for result, values in pairs:
        np.testing.assert_array_equal(result.compute(), values)


def test_futures(client):
    futures = client.map(halves, [1, 2.5, np.float32(3)], pure=False)
    assert client.gather(futures) == [0.5, 1.25, np.float32(1.5)]
    scattered = client.scatter(np.arange(4.0), broadcast=True)
    assert client.submit(total, scattered).result() == 6.0


def test_exceptions_of_kernels(client):
    @npp.vectorize(["float64(float64)"])
    def checked(x):
        if x < 0:
            raise ValueError("negative")
        return x

    with pytest.raises(ValueError, match="negative"):
        checked(da.arange(-1, 2, chunks=1, dtype="float64")).compute()
    assert client.submit(checked, 2.0).result() == 2.0


def test_every_worker_has_its_own_device(client):
    on_device = npp.vectorize(["float64(float64)"], target="cuda")(lambda x: 2 * x + 1)

    def compute(x):
        from numpy_plugin import cuda

        with cuda.current_device() as device:
            before = device.counters.launches
            result = on_device(x)
            return result, device.uuid, device.counters.launches - before

    x = np.arange(100_000.0)
    uuids = set()
    for worker in ("gpu0", "gpu1"):
        result, uuid, n_launches = client.submit(compute, x, workers=worker, pure=False).result()
        np.testing.assert_array_equal(result, 2 * x + 1)
        assert n_launches == 1
        uuids.add(uuid)
    assert uuids == {f"GPU-6e707020-7369-6d75-6c61-746f72303{number}00" for number in (0, 1)}


# --- workers that can't unpickle a ufunc ---


@pytest.mark.parametrize(
    ("preload", "error", "message"),
    [
        (WITHOUT_PACKAGE, ModuleNotFoundError, "No module named 'numpy_plugin'"),
        (ANOTHER_VERSION, RuntimeError, r"workers need numpy_plugin \d.*, found .*: '9\.9'"),
    ],
    ids=["no package", "another version"],
)
def test_workers_are_checked_before_a_job(preload, error, message):
    check_workers = example("streamed_job").check_workers
    cluster = make_cluster(wrong={"preload": [preload]})
    with cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(1)
        with pytest.raises(error, match=message):
            check_workers(client)


def test_a_process_without_the_package_says_so(tmp_path):
    data = tmp_path / "task.pickle"
    data.write_bytes(pickle.dumps((halves, 1.0)))
    program = WITHOUT_PACKAGE + "import pickle; pickle.load(open(sys.argv[1], 'rb'))"
    done = subprocess.run(
        [sys.executable, "-c", program, str(data)], capture_output=True, text=True, check=False
    )
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'numpy_plugin'\n")
