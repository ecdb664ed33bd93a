"""`python -m numpy_plugin simulator run`: programs that use the driver by its own name."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from numpy_plugin.__main__ import main

# The driver as any client opens it, and what a kernel needs.
HEAD = """
import ctypes, os, sys
driver = ctypes.CDLL("libcuda.so.1")
def check(status):
    assert status == 0, status
def number(function, *arguments):
    value = ctypes.c_int()
    check(function(ctypes.byref(value), *arguments))
    return value.value
def context():
    check(driver.cuInit(0))
    made = ctypes.c_void_p()
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(made), 0))
    check(driver.cuCtxSetCurrent(made))
def allocate(n_bytes):
    address = ctypes.c_uint64()
    check(driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(n_bytes)))
    return address
def run(ptx):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    check(driver.cuModuleLoadData(ctypes.byref(module), ptx.encode()))
    check(driver.cuModuleGetFunction(ctypes.byref(function), module, b"kernel"))
    check(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, None, None))
    return driver.cuCtxSynchronize()
"""

STORE_TO_NULL = """
.version 8.0
.target sm_75
.address_size 64
.visible .entry kernel()
{
  .reg .b64 %d;
  mov.u64 %d, 64;
  st.global.u32 [%d], 1;
  ret;
}
"""


def program_of(directory, text):
    path = directory / "client.py"
    path.write_text(HEAD + textwrap.dedent(text))
    return path


def words(*rest):
    return [sys.executable, "-P", "-m", "numpy_plugin", "simulator", "run", *map(str, rest)]


def simulator_run(*rest, **environment):
    return subprocess.run(
        words(*rest),
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_simulator_is_the_driver_of_a_program(tmp_path):
    client = program_of(
        tmp_path,
        """
        check(driver.cuInit(0))
        total = ctypes.c_size_t()
        check(driver.cuDeviceTotalMem_v2(ctypes.byref(total), 0))
        print(number(driver.cuDeviceGetCount), total.value)
        print(*(number(driver.cuDeviceGetAttribute, kind, 2) for kind in (75, 76, 16)))
        print(sys.argv[1:])
        """,
    )
    done = simulator_run(
        *("--devices", 3, "--arch", "sm_86", "--memory", "64 MiB", "--multiprocessors", 5),
        *(client, "--arch", "of the program"),
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["3 67108864", "8 6 5", "['--arch', 'of the program']"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (["-c", "import sys; print(sys.argv)", "one", "-x"], "['-c', 'one', '-x']"),
        (["-m", "json.tool", "--help"], "usage: "),
        (["echo", "-n", "a command"], "a command"),
    ],
    ids=["text", "module", "command"],
)
def test_programs_are_given_as_to_python_or_as_commands(form, expected):
    done = simulator_run(*form)
    assert (done.returncode, done.stderr) == (0, "")
    assert expected in done.stdout


def test_the_private_directory_is_removed():
    where = "import os; print(os.environ['LD_LIBRARY_PATH'], os.environ['NUMPY_PLUGIN_CUDA'])"
    done = simulator_run("-c", where, LD_LIBRARY_PATH="/opt/lib")
    path, devices = done.stdout.split()
    directory, other = path.split(os.pathsep)
    assert (other, devices) == ("/opt/lib", "simulator")
    assert not Path(directory).exists()


def test_others_have_no_access_to_the_private_directory():
    text = """
import os
directory = os.environ["LD_LIBRARY_PATH"].split(os.pathsep)[0]
print(oct(os.stat(directory).st_mode & 0o777), "libcuda.so.1" in os.listdir(directory))
"""
    assert simulator_run("-c", text).stdout.split() == ["0o700", "True"]


def test_the_exit_status_is_the_programs():
    assert simulator_run("-c", "raise SystemExit(77)").returncode == 77


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_signal_that_ends_the_program_ends_the_command(number):
    done = simulator_run("-c", f"import os; os.kill(os.getpid(), {int(number)})")
    assert done.returncode == -number


def test_signals_are_passed_on():
    text = """
import signal, sys, time
def leave(number, frame):
    sys.exit(40 + number)
signal.signal(signal.SIGTERM, leave)
print("ready", flush=True)
time.sleep(60)
"""
    process = subprocess.Popen(words("-c", text), stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 40 + signal.SIGTERM
    assert time.monotonic() - began < 50
    process.stdout.close()


def test_faults_of_kernels_are_reported(tmp_path):
    client = program_of(tmp_path, f"context()\nprint(run('''{STORE_TO_NULL}'''))")
    done = simulator_run(client)
    assert done.stdout == "700\n"
    assert done.stderr.startswith("simulator: CUDA_ERROR_ILLEGAL_ADDRESS: kernel 'kernel', block")
    assert "wrote 4 bytes at 0x40 (a null pointer)" in done.stderr
    unchecked = simulator_run("--fault", "launch=1", "--report-api-errors", client)
    assert unchecked.stdout == "719\n"
    reason = "injected fault: launch 1 of this device fails, that of kernel 'kernel'"
    assert unchecked.stderr.splitlines() == [
        f"simulator: CUDA_ERROR_LAUNCH_FAILED: {reason}",
        f"simulator: cuCtxSynchronize returned CUDA_ERROR_LAUNCH_FAILED: {reason}",
    ]


def test_memory_that_is_not_freed_is_reported(tmp_path):
    client = program_of(
        tmp_path,
        """
        context()
        kept, freed = allocate(300), allocate(200)
        check(driver.cuMemFree_v2(freed))
        """,
    )
    assert simulator_run(client).stderr == ""
    assert simulator_run("--leak-check", client).stderr.splitlines() == [
        "simulator: leak: allocation 1 (300 bytes, cuMemAlloc) was not freed",
        "simulator: leaks of numpy_plugin simulator (sm_90): 1 allocation, 300 bytes",
    ]


def test_variables_of_modules_are_no_leaks(tmp_path):
    ptx = STORE_TO_NULL.replace(".visible", ".global .u32 count[9];\n.visible", 1)
    ptx = ptx.replace("mov.u64 %d, 64;", "mov.u64 %d, count;")
    client = program_of(tmp_path, f"context()\ncheck(run('''{ptx}'''))")
    done = simulator_run("--leak-check", client)
    assert (done.returncode, done.stderr) == (0, "")


def test_failed_calls_are_reported(tmp_path):
    client = program_of(tmp_path, "context()\nprint(driver.cuMemFree_v2(ctypes.c_uint64(4096)))")
    assert simulator_run(client).stderr == ""
    done = simulator_run("--report-api-errors", client)
    assert done.stdout == "1\n"
    assert done.stderr.startswith(
        "simulator: cuMemFree returned CUDA_ERROR_INVALID_VALUE: no allocation begins at 0x1000"
    )


def test_calls_are_reported_by_their_own_names(tmp_path):
    names = ["cuMemcpyDtoHAsync", "cuMemsetD8", "cuGraphDestroyNode"]
    client = program_of(
        tmp_path,
        """
        context()
        nowhere, host = ctypes.c_uint64(4096), ctypes.create_string_buffer(8)
        driver.cuMemcpyDtoHAsync_v2(host, nowhere, ctypes.c_size_t(8), None)
        driver.cuMemsetD8_v2(nowhere, 0, ctypes.c_size_t(8))
        driver.cuGraphDestroyNode(None)
        """,
    )
    lines = simulator_run("--report-api-errors", client).stderr.splitlines()
    assert [line.split()[1] for line in lines] == names


def test_calls_of_what_is_not_simulated_are_reported(tmp_path):
    client = program_of(
        tmp_path, "check(driver.cuInit(0))\nprint(driver.cuTexObjectCreate(None, None, None, None))"
    )
    done = simulator_run(client)
    assert done.stdout == "801\n"
    reason = "CUDA_ERROR_NOT_SUPPORTED: textures are not simulated"
    assert done.stderr == f"simulator: cuTexObjectCreate returned {reason}\n"


@pytest.mark.parametrize(
    ("form", "status", "expected"),
    [
        (["--arch", "sm_20", "-c", ""], 2, "the architecture is 'sm_20'; expected one of sm_75"),
        (["--memory", "much", "-c", ""], 2, "memory must be a size such as '1 GiB', not 'much'"),
        (["--checks", "bouds", "-c", ""], 2, "unknown check 'bouds'; did you mean 'bounds'?"),
        (["--fault", "launhc=2", "-c", ""], 2, "unknown fault 'launhc'; did you mean 'launch'?"),
        (["--devices", "65", "-c", ""], 2, "devices must be 1 to 64, found 65"),
        (["no_such_program.py"], 2, "No such file"),
        (["no_such_command"], 127, "no_such_command can't be run: No such file or directory"),
        (["/"], 1, "can't find '__main__' module"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_wrong_words_are_errors(form, status, expected):
    done = simulator_run(*form)
    assert done.returncode == status
    assert expected in done.stderr


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ([], "a program, -m MODULE or -c COMMAND is required"),
        (["-m"], "a program, -m MODULE or -c COMMAND is required"),
        (["--fault", "2", "a.py"], "'2' is not of the form launch=2"),
        (["--archs", "sm_80", "a.py"], "unrecognized arguments: --archs"),
    ],
)
def test_wrong_options_end_with_2(form, expected, capsys):
    with pytest.raises(SystemExit) as end:
        main(["simulator", "run", *form])
    assert end.value.code == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("arch=sm_20", "the architecture is 'sm_20'; expected one of sm_75, "),
        ("arch", "'arch' is not of the form name=value"),
        ("memory=1GiB", "'1GiB' is not a number"),
        ("size=1", "unknown option 'size'; expected one of arch, memory, checks"),
        ("checks=bounds,ends", "unknown check 'ends'; expected one of bounds, alignment"),
        ("report=all", "unknown finding 'all'; expected one of faults, errors, leaks"),
        ("multiprocessors=0", None),
        ("checks=none max_steps=7  report=", None),
    ],
)
def test_options_in_the_environment_are_checked(tmp_path, options, expected):
    (tmp_path / "libcuda.so.1").symlink_to(Path(simulator_path()))
    client = program_of(tmp_path, "print(driver.cuInit(0))")
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(tmp_path),
        "NUMPY_PLUGIN_SIMULATOR_OPTIONS": options,
    }
    done = subprocess.run(
        [sys.executable, str(client)], env=environment, capture_output=True, text=True, timeout=60
    )
    if expected is None:
        assert (done.stdout, done.stderr) == ("0\n", "")
    else:
        assert done.stdout == "1\n"
        assert expected in done.stderr


def simulator_path():
    from numpy_plugin import cuda

    return cuda.SIMULATOR_PATH
