"""`npp.config`: values and where they come from, wrong ones, and one row for each variable."""

import inspect
import os
import re
from pathlib import Path

import numpy as np
import pytest
from machines.fresh_process import end_of, run_python

import numpy_plugin as npp
from numpy_plugin import _core

ROOT = Path(__file__).resolve().parents[3]
ROWS = {row["name"]: row for row in _core.settings()}


@pytest.fixture(autouse=True)
def restored():
    n_threads = npp.get_num_threads()
    yield
    npp.config.reset()
    npp.set_num_threads(n_threads)


def test_values_have_pythons_own_types(monkeypatch):
    for row in ROWS.values():
        if row["name"] != "cache_dir":
            monkeypatch.delenv(row["variable"], raising=False)
    config = npp.config
    assert (config.auto, config.cpu, config.cublas, config.progress) == (
        "cpu",
        "native",
        "auto",
        "auto",
    )
    assert config.cache_size == 1_000_000_000 and isinstance(config.cache_size, int)
    assert config.compile_timeout == 120.0 and isinstance(config.compile_timeout, float)
    assert config.debug is False
    assert config.cxx is None
    assert config.num_threads == npp.get_num_threads()
    assert config.cache_dir == os.environ["NUMPY_PLUGIN_CACHE_DIR"]


def test_the_environment_is_read_each_time(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", "1")
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_SIZE", "3 MB")
    assert (npp.config.debug, npp.config.cache_size) == (True, 3_000_000)
    monkeypatch.delenv("NUMPY_PLUGIN_DEBUG")
    assert npp.config.debug is False


def test_what_the_program_sets_counts_first(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_COMPILE_TIMEOUT", "30")
    npp.config.compile_timeout = 7
    assert npp.config.compile_timeout == 7.0
    npp.config.reset("compile_timeout")
    assert npp.config.compile_timeout == 30.0


def declared(text="return x + 0.5;"):
    return npp.vectorize(["float64(float64)"], name="config_test", args="x", body=text)


def test_settings_take_effect(tmp_path):
    (tmp_path / "cache").mkdir(mode=0o700)
    npp.config.cache_dir = tmp_path / "cache"
    declared()
    assert list((tmp_path / "cache").iterdir())
    npp.config.cxx = "/no/such/compiler"
    with pytest.raises(npp.CompilerError, match="/no/such/compiler"):
        declared("return x + 0.25;")
    npp.config.reset("cxx")
    npp.config.debug = True

    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def outside(x, out):
        out[len(x)] = x[0]

    with pytest.raises(IndexError):
        outside(np.zeros(3))


def test_the_simulator_can_be_selected_and_left():
    with npp.config.override(cuda="simulator"):
        assert [device.is_simulated for device in npp.cuda.gpus] == [True]
    with npp.config.override(cuda="off"):
        assert list(npp.cuda.gpus) == []
    with pytest.raises(RuntimeError, match="simulated_devices is of the environment only"):
        npp.config.simulated_devices = 2


def test_threads_are_one_state():
    npp.config.num_threads = 3
    assert npp.get_num_threads() == 3
    npp.set_num_threads(np.int8(2))
    assert npp.config.num_threads == 2
    assert next(row for row in _core.settings() if row["name"] == "num_threads")["source"] == (
        "program"
    )
    npp.config.num_threads = np.int64(4)
    assert npp.get_num_threads() == 4


def test_numpys_numbers_are_numbers():
    npp.config.cache_size = np.uint32(5000)
    npp.config.compile_timeout = np.float32(2.5)
    assert (npp.config.cache_size, npp.config.compile_timeout) == (5000, 2.5)


def test_offloading_can_be_requested():
    npp.config.auto = "device"
    f = declared()
    explained = npp.inspect(f).explain(np.ones(10)) if npp.cuda.is_available() else None
    npp.config.auto = "cpu"
    assert explained is None or "asks for a device" not in explained.why


def test_override_restores_everything(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_SIZE", "3 MB")
    npp.config.compile_timeout = 5
    with npp.config.override(compile_timeout=6, cache_size="4 MB", debug=True):
        assert npp.config.compile_timeout == 6.0
        assert npp.config.cache_size == 4_000_000
        assert npp.config.debug is True
    assert npp.config.compile_timeout == 5.0
    assert npp.config.cache_size == 3_000_000
    assert npp.config.debug is False


def test_a_wrong_value_in_override_changes_nothing():
    with (
        pytest.raises(ValueError, match=r"config\.cpu is 'z80'"),
        npp.config.override(compile_timeout=6, cpu="z80"),
    ):
        raise AssertionError("the block runs")
    assert npp.config.compile_timeout == 120.0


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("cuda", "gpu", ValueError, "cuda is 'gpu'; expected auto, simulator or off"),
        ("cache_size", "lots", ValueError, "cache_size is 'lots'; expected a number of bytes"),
        ("cache_size", -1, ValueError, "cache_size is '-1'; expected a number of bytes"),
        ("compile_timeout", 0, ValueError, "compile_timeout is '0'; expected a number of sec"),
        (
            "num_threads",
            1025,
            ValueError,
            "num_threads is '1025'; expected a number from 1 to 1024",
        ),
        ("cache_dir", "", ValueError, "cache_dir is ''; expected the path of a directory"),
        ("debug", 1, TypeError, "config.debug must be a bool, not int"),
        ("compile_timeout", "5", TypeError, "config.compile_timeout must be a number, not str"),
        ("num_threads", True, TypeError, "config.num_threads must be an int, not bool"),
        ("num_threads", 2.0, TypeError, "config.num_threads must be an int, not float"),
        ("cxx", None, TypeError, "config.cxx must be a str or a path, not NoneType"),
    ],
)
def test_wrong_values_are_refused(name, value, error, message):
    before = getattr(npp.config, name)
    with pytest.raises(error, match=re.escape(message)) as caught:
        setattr(npp.config, name, value)
    assert caught.traceback[-1].path.name == Path(__file__).name
    assert getattr(npp.config, name) == before


def test_misspelt_names_are_refused():
    with pytest.raises(AttributeError, match="no 'cache_szie'; did you mean 'cache_size'"):
        npp.config.cache_szie = 1
    with pytest.raises(AttributeError, match="no 'speed'; there are auto, cache_dir"):
        assert npp.config.speed
    with pytest.raises(AttributeError), npp.config.override(numthreads=1):
        pass
    assert not hasattr(npp.config, "__len__")


def test_invalid_values_of_the_environment_name_the_variable(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CUDA", "gpu")
    with pytest.raises(ValueError, match="NUMPY_PLUGIN_CUDA is 'gpu'; expected auto"):
        assert npp.config.cuda
    assert "invalid: NUMPY_PLUGIN_CUDA is 'gpu'" in repr(npp.config)


def test_settings_that_are_read_once():
    program = """
import numpy as np, numpy_plugin as npp
npp.config.kept_memory = "16 MB"
f = npp.vectorize(["float64(float64)"], name="f", args="x", body="return x + 1;")
f(np.ones(1 << 21))
try:
    npp.config.kept_memory = 0
except RuntimeError as error:
    print(error)
print(npp.config.kept_memory)
"""
    message, value = run_python(program).splitlines()
    assert message.startswith("numpy_plugin.config.kept_memory has been read")
    assert value == "16000000"


def warnings_of_import(**environment):
    done = end_of("import numpy_plugin", **environment)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_misspelt_variables_are_warned_of():
    shown = warnings_of_import(NUMPY_PLUGIN_CAHCE_DIR="/tmp", NUMPY_PLUGIN_SPEED="9")
    assert (
        "<string>:1: RuntimeWarning: NUMPY_PLUGIN_CAHCE_DIR in the environment is no setting of "
        "numpy_plugin; did you mean NUMPY_PLUGIN_CACHE_DIR?\n" in shown
    )
    assert "NUMPY_PLUGIN_SPEED in the environment is no setting of numpy_plugin; " in shown
    assert "numpy_plugin.config lists them" in shown


def test_a_number_of_threads_that_is_ignored_is_warned_of():
    shown = warnings_of_import(NUMPY_PLUGIN_NUM_THREADS="many")
    assert "NUMPY_PLUGIN_NUM_THREADS is 'many'; expected a number from 1 to 1024; it is" in shown


def test_no_warning_otherwise():
    assert warnings_of_import(NUMPY_PLUGIN_NUM_THREADS="2", NUMPY_PLUGIN_DEBUG="1") == ""


def test_the_table_shows_values_and_sources(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", "clang++ <18>")
    npp.config.cache_size = "2 MB"
    shown = repr(npp.config)
    assert re.search(
        r"^cache_size +2,000,000 bytes +this program +the maximum", shown, re.MULTILINE
    )
    assert re.search(r"^cxx +clang\+\+ <18> +the environment ", shown, re.MULTILINE)
    assert re.search(r"^debug +False +the default ", shown, re.MULTILINE)
    html = npp.config._repr_html_()
    assert html.count("<tr>") == len(ROWS) + 1
    assert "<td>clang++ &lt;18&gt;</td>" in html


def test_every_setting_is_an_attribute_of_the_class():
    assert set(npp.config.__class__.__annotations__) == set(ROWS)
    assert set(ROWS) <= set(dir(npp.config))
    described = inspect.getdoc(npp.config.__class__)
    for name in ROWS:
        assert re.search(rf"^ {{4}}{name}: ", described, re.MULTILINE), name


def test_every_variable_of_the_sources_is_a_row():
    # The last is of the simulated driver in programs that need not have this package.
    variable = re.compile(
        r"(?<![@\w])NUMPY_PLUGIN_(?!TEST_|BUILD_|SIMULATOR_OPTIONS)[A-Z]+(?:_[A-Z]+)*"
    )
    known = {row["variable"] for row in ROWS.values()}
    paths = [path for top in ("src", "numpy_plugin") for path in (ROOT / top).rglob("*.*")]
    suffixes = {".cpp", ".def", ".hpp", ".py"}
    texts = [path.read_text(encoding="utf-8") for path in paths if path.suffix in suffixes]
    assert len(texts) > 500
    found = {name for text in texts for name in variable.findall(text)}
    assert found == known


def test_every_setting_is_documented():
    text = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    documented = {}
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 5:
            documented[cells[0].strip("`| ")] = cells
    assert set(documented) == set(ROWS)
    for name, (_, variable, values, default, _) in documented.items():
        row = ROWS[name]
        assert variable == f"`{row['variable']}`"
        if row["kind"] == "choice":
            assert re.findall("`(.*?)`", values)[: len(re.split(", | or ", row["expected"]))] == (
                re.split(", | or ", row["expected"])
            )
        if row["kind"] in ("choice", "flag", "bytes", "seconds"):
            assert default == f"`{row['default']}`"
