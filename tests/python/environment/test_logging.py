"""Logging: compilations, look-ups in the cache, loads and choices of a device."""

import logging
import sys
import threading

import numpy as np
import pytest
from machines.fresh_process import end_of

import numpy_plugin as npp
from numpy_plugin import cuda


@pytest.fixture
def logged(caplog, empty_cache):
    """Call it for what was logged since its last call, as (logger, level, text)."""
    caplog.set_level(logging.DEBUG, "numpy_plugin")

    def take():
        found = [
            (record.name.removeprefix("numpy_plugin."), record.levelname, record.getMessage())
            for record in caplog.records
        ]
        caplog.clear()
        return found

    return take


def declare(name="logged"):
    return npp.vectorize(["float64(float64, float64)"], name=name, args="x, y", body="return x-y;")


def test_a_compilation_and_a_hit_of_the_cache(logged, caplog):
    declare()
    compiled = next(record for record in caplog.records if record.name.endswith("compile"))
    assert compiled.seconds > 0
    subject = "'logged' for float64(float64, float64)"
    first, second, third = logged()
    assert first == ("cache", "DEBUG", f"{subject} is not in the cache")
    assert second[:2] == ("compile", "INFO")
    assert second[2].startswith(f"compiled {subject} with ")
    assert third == ("device", "DEBUG", f"loaded {subject} on the host")
    declare()
    assert logged() == [
        ("cache", "DEBUG", f"found {subject} in the cache"),
        ("device", "DEBUG", f"loaded {subject} on the host"),
    ]


def test_a_compilation_that_fails(logged):
    with pytest.raises(npp.CompilerError):
        npp.vectorize(["float64(float64)"], name="wrong", args="x", body="return absent(x);")
    texts = [text for logger, _, text in logged() if logger == "compile"]
    assert len(texts) == 1 and texts[0].startswith("failed to compile 'wrong' for float64(float64)")


def test_a_compilation_on_first_use(logged):
    @npp.vectorize
    def lazy(x):
        return x + 1.5

    assert logged() == []
    lazy(np.float32(1))
    assert [text.split(" with ")[0] for logger, _, text in logged() if logger == "compile"] == [
        "compiled 'lazy' for float32(float32)"
    ]


def test_events_of_other_threads(logged):
    thread = threading.Thread(target=declare, args=("in_a_thread",))
    thread.start()
    thread.join()
    assert any("'in_a_thread'" in text for _, _, text in logged())


def test_levels_select(logged, caplog):
    caplog.set_level(logging.INFO, "numpy_plugin")
    declare("at_info")
    assert {(logger, level) for logger, level, _ in logged()} == {("compile", "INFO")}


def test_a_directory_that_is_no_cache_is_named(logged, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(tmp_path / "file"))
    declare("uncached")
    first = logged()[0]
    assert first[2].startswith("no cache for 'uncached' for float64(float64, float64): ")
    assert "is not a directory" in first[2]


def test_device_code_and_the_choice_of_a_device(logged, nvrtc):
    f = declare("on_device")
    logged()
    x = np.ones(1 << 17)
    with cuda.simulator() as device, npp.offload():
        f(x, 1.0)
        texts = [text for logger, _, text in logged() if logger == "device"]
        assert any(
            text.startswith(
                ("'on_device' runs on the CPU: ", f"'on_device' runs on {device.name}: ")
            )
            for text in texts
        )
        f(cuda.to_device(x[:10]), 1.0)
    found = logged()
    assert ("device", "DEBUG", f"loaded 'on_device' on {device.name}") in found
    compiled = [text for logger, _, text in found if logger == "compile"]
    assert len(compiled) == 1
    subject = "'on_device' for float64(float64, float64) for sm_90"
    assert compiled[0].startswith(f"compiled {subject} with NVRTC ")


def test_handlers_may_call_ufuncs_and_fail(logged, capsys):
    f = declare("called_by_a_handler")
    logged()

    class Handler(logging.Handler):
        def emit(self, record):
            values.append(float(f(3.0, 1.0)))
            raise ZeroDivisionError

    values = []
    handler = Handler()
    logger = logging.getLogger("numpy_plugin.compile")
    logger.addHandler(handler)
    raised = []
    before, sys.unraisablehook = sys.unraisablehook, raised.append
    try:
        assert declare("with_a_handler")(5.0, 2.0) == 3.0
    finally:
        sys.unraisablehook = before
        logger.removeHandler(handler)
    assert values == [2.0]
    assert [type(report.exc_value) for report in raised] == [ZeroDivisionError]


def run(program, cache, **environment):
    done = end_of(program, NUMPY_PLUGIN_CACHE_DIR=str(cache), **environment)
    assert done.returncode == 0, done.stderr
    return done


DECLARE = (
    "import numpy_plugin as npp\n"
    "npp.vectorize(['float64(float64)'], name='f', args='x', body='return x + 1;')\n"
)


def test_nothing_is_printed_or_imported_by_default(empty_cache):
    imported = "{'logging', 'numpy_plugin._events'} & set(sys.modules)"
    done = run(DECLARE + f"import sys; print({imported})", empty_cache)
    assert (done.stdout, done.stderr) == ("set()\n", "")
    done = run("import logging\n" + DECLARE, empty_cache)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_program_that_ends_at_once_logs_all(empty_cache):
    done = run("import logging; logging.basicConfig(level='INFO')\n" + DECLARE, empty_cache)
    assert done.stderr.startswith("INFO:numpy_plugin.compile:compiled 'f' for float64(float64) ")


def test_a_forked_child_logs_its_own_events(empty_cache):
    program = (
        "import logging, os; logging.basicConfig(level='INFO')\n"
        + DECLARE
        + "child = os.fork()\n"
        + "if child == 0:\n"
        + "    npp.vectorize(['float64(float64)'], name='g', args='x', body='return x + 2;')\n"
        + "    os._exit(0)\n"
        + "print(os.waitpid(child, 0)[1])\n"
    )
    done = run(program, empty_cache)
    assert done.stdout == "0\n"
    assert [done.stderr.count(f"compiled '{name}'") for name in "fg"] == [1, 1]
