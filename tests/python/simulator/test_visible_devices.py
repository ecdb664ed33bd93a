"""CUDA_VISIBLE_DEVICES hides and orders simulated devices as CUDA's driver does with GPUs."""

import json

import pytest
from machines.fresh_process import end_of

from numpy_plugin import cuda

UUIDS = [f"GPU-6e707020-7369-6d75-6c61-746f72303{number}00" for number in range(4)]
SHOW = """
import json
from numpy_plugin import cuda
print(json.dumps([(device.id, device.uuid) for device in cuda.gpus]))
"""


def run_python(program, **environment):
    simulated = {"CUDA_VISIBLE_DEVICES": None, "NUMPY_PLUGIN_CUDA": "simulator"}
    return end_of(program, **simulated | environment)


def printed(program, **environment):
    result = run_python(program, **environment)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def test_there_is_one_unless_the_environment_says_how_many():
    assert json.loads(printed(SHOW)) == [[0, UUIDS[0]]]
    shown = json.loads(printed(SHOW, NUMPY_PLUGIN_SIMULATED_DEVICES="4"))
    assert shown == [[0, UUIDS[0]], [1, UUIDS[1]], [2, UUIDS[2]], [3, UUIDS[3]]]


@pytest.mark.parametrize(
    ("variable", "numbers"),
    [("2", [2]), ("3,1", [3, 1]), ("1,7,0", [1]), (f"{UUIDS[3]},{UUIDS[0]}", [3, 0])],
)
def test_the_variable_selects_and_orders(variable, numbers):
    shown = printed(SHOW, NUMPY_PLUGIN_SIMULATED_DEVICES="4", CUDA_VISIBLE_DEVICES=variable)
    assert json.loads(shown) == [[index, UUIDS[n]] for index, n in enumerate(numbers)]


@pytest.mark.parametrize("variable", ["", "-1", "1"])
def test_hidden_devices_are_named_as_the_reason(variable):
    program = """
import numpy_plugin as npp
from numpy_plugin import cuda
print(cuda.is_available(), len(cuda.gpus))
try:
    cuda.zeros(3)
except npp.CudaError as error:
    print(error)
"""
    assert printed(program, CUDA_VISIBLE_DEVICES=variable).splitlines() == [
        "False 0",
        f"the simulator has no device that this process sees; CUDA_VISIBLE_DEVICES is '{variable}'",
    ]


@pytest.mark.parametrize("variable", ["", "-1", "0"])
def test_devices_of_the_program_are_not_hidden(variable):
    program = """
import numpy as np
from numpy_plugin import cuda
before = len(cuda.gpus)
with cuda.simulator(devices=2):
    assert len({device.uuid for device in cuda.gpus}) == len(cuda.gpus) == 2
    print((cuda.to_device(np.arange(3.0)) + 1).copy_to_host())
assert len(cuda.gpus) == before
"""
    assert printed(program, CUDA_VISIBLE_DEVICES=variable) == "[1. 2. 3.]\n"


@pytest.mark.parametrize("count", ["0", "65", "two"])
def test_numbers_of_devices_that_can_not_be(count):
    program = "from numpy_plugin import cuda; cuda.zeros(3)"
    result = run_python(program, NUMPY_PLUGIN_SIMULATED_DEVICES=count)
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith("numpy_plugin.CudaError: the simulated CUDA driver can't be used: ")
    assert last.endswith(
        f"NUMPY_PLUGIN_SIMULATED_DEVICES is '{count}'; expected a number from 1 to 64"
    )


def test_devices_of_different_programs_have_different_uuids():
    with cuda.simulator() as one, cuda.simulator() as other:
        assert one.uuid != other.uuid
        assert one.uuid.startswith("GPU-6e707020-")
