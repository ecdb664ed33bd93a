"""What can't be compiled ahead of time is refused, by name, with what to do."""

import subprocess
import sys

import pytest

import numpy_plugin as npp
from numpy_plugin import _core
from numpy_plugin.__main__ import main

HEAD = "import numpy as np\nimport numpy_plugin as npp\n"
KERNEL = '@npp.vectorize(["float64(float64)"])\ndef f(x):\n    return x\n'


@pytest.fixture
def build(tmp_path):
    """Build a module from a text."""

    def build_text(text, output="built", **options):
        source = tmp_path / "declared.py"
        source.write_text(HEAD + text)
        return npp.build.build(source, tmp_path / output, **options)

    return build_text


REFUSED = {
    "lazy": (
        "@npp.vectorize\ndef f(x):\n    return x\n",
        r"ufunc 'f' has no signatures; declare the types, as in @npp.vectorize\(\[",
    ),
    "state": (
        "SCALE = 2.0\n"
        "def set_scale(value):\n    global SCALE\n    SCALE = value\n"
        '@npp.vectorize(["float64(float64)"])\ndef f(x):\n    return SCALE * x\n',
        r"ufunc 'f' reads the module's state 'SCALE', which set_scale\(\) changes; a built module "
        "has the value that it was built with: make SCALE an operand",
    ),
    "changed": (
        'SCALE = 2.0\n@npp.vectorize(["float64(float64)"])\ndef f(x):\n    return SCALE * x\n'
        "SCALE = 3.0\n",
        "ufunc 'f' reads 'SCALE', which has changed since the declaration",
    ),
    "default": (
        '@npp.vectorize(["float64(float64, float64)"])\ndef f(x, y=1):\n    return x + y\n',
        "ufunc 'f' has a default for 'y', and NumPy's ufuncs have no defaults; leave it out",
    ),
    "print": (
        '@npp.vectorize(["float64(float64)"])\ndef f(x):\n    print(x)\n    return x\n',
        r"ufunc 'f' prints, which needs numpy_plugin; remove print\(\)",
    ),
    "threads": (
        KERNEL.replace(')"])', ')"], target="parallel")'),
        r"ufunc 'f' has target=\"parallel\"; leave target= out",
    ),
    "broadcast": (
        '@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n|1),(n)->()")\n'
        "def f(a, b, out):\n    out[0] = a[0] + b[0]\n",
        r"ufunc 'f' broadcasts the core dimension 'n\|1', which NumPy itself does not",
    ),
    "exception": (
        "class Mistake(Exception):\n    pass\n"
        '@npp.vectorize(["float64(float64)"])\n'
        "def f(x):\n    if x < 0:\n        raise Mistake\n    return x\n",
        "ufunc 'f' raises Mistake, which the built module cannot import; define the class in a "
        "module of its own",
    ),
    "identity": (
        "import decimal\n"
        '@npp.vectorize(["float64(float64, float64)"], identity=decimal.Decimal(1))\n'
        "def f(x, y):\n    return x * y\n",
        "the identity of ufunc 'f' is a Decimal; expected a bool, an int, a float or a complex",
    ),
    "records": (
        "point = npp.from_dtype(np.dtype([('x', 'f8')]))\n"
        "@npp.vectorize([npp.float64(point)])\ndef f(p):\n    return p.x\n",
        "ufunc 'f' has operands that are records; pass their fields as operands of their own",
    ),
    "reduction": (
        f"{KERNEL}total = npp.reduction(lambda x: x, lambda a, b: a + b, identity=0)\n",
        "'total' is a Reduction, and modules have ufuncs only\n"
        "  hint: declare it in another file, or name it '_total'",
    ),
    "none": (
        KERNEL.replace("def f", "def _f"),
        r"declared.py declares no public ufunc\n  hint: declare one with @npp.vectorize",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_declarations_are_refused(build, tmp_path, case):
    text, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        build(text)
    assert [path.name for path in tmp_path.iterdir() if path.suffix in (".so", ".pyi")] == []


def test_other_names_are_left_out(build, tmp_path):
    build(
        f"{KERNEL}from numpy import add\ndef g():\n    return 1\n_h = f\n",
        levels=_core.cpu_levels()[:1],
    )
    assert '__all__ = [\n    "f",\n]\n' in (tmp_path / "built.pyi").read_text()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"levels": ["avx2"]}, ValueError, "unknown level 'avx2'; expected some of "),
        ({"levels": []}, ValueError, "no level to compile for; expected some of "),
        ({"arch": ["90"]}, ValueError, "unknown architecture '90'; expected 'sm_90' for machine"),
        (
            {"output": "declared"},
            ValueError,
            r"(?s)would hide its source .*such as declared_ufuncs",
        ),
        ({"output": "my-module"}, ValueError, "the module's name is 'my-module'; expected a name"),
        ({"output": "absent/built"}, FileNotFoundError, "there is no directory '.*absent'"),
    ],
)
def test_arguments_are_checked(build, options, error, message):
    with pytest.raises(error, match=message):
        build(KERNEL, **options)


def test_sources_are_checked(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*absent.py'; expected a Pyt"):
        npp.build.build(tmp_path / "absent.py", tmp_path / "built")
    text = tmp_path / "text.txt"
    text.write_text("")
    with pytest.raises(ValueError, match=r"is not a Python file; its name must end with \.py"):
        npp.build.build(text, tmp_path / "built")


def test_errors_of_the_file_are_its_own(build):
    with pytest.raises(npp.KernelError, match=r"declared\.py"):
        build('@npp.vectorize(["float64(float64)"])\ndef f(x):\n    return undefined_name\n')
    assert not any(name.startswith("_built_") for name in sys.modules)


def test_modules_of_one_name_are_refused(tmp_path):
    pytest.importorskip("setuptools")
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(HEAD + KERNEL)
    with pytest.raises(ValueError, match=r"two modules have the name 'm.f': .*one.py and .*two.py"):
        npp.build.extensions([("m.f", tmp_path / "one.py"), ("m.f", tmp_path / "two.py")])
    with pytest.raises(TypeError, match=r"a module is a pair of its name and its source, not 'one"):
        npp.build.extensions(["one.py"])
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*three.py' for the module"):
        npp.build.extensions([("m.f", tmp_path / "three.py")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (KERNEL.replace('(["float64(float64)"])', ""), "ufunc 'f' has no signatures"),
        (KERNEL.replace("return x", "return undefined_name"), "undefined_name"),
    ],
)
def test_the_command_shows_errors(tmp_path, capsys, text, message):
    source = tmp_path / "declared.py"
    source.write_text(HEAD + text)
    assert main(["build", str(source), "-o", str(tmp_path / "built")]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("error: ")
    assert message in printed


def test_the_command_needs_an_output():
    done = subprocess.run(
        [sys.executable, "-P", "-m", "numpy_plugin", "build", "declared.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "the following arguments are required: -o/--output" in done.stderr


def test_the_package_does_not_import_it():
    program = "import sys, numpy_plugin\nprint('numpy_plugin.build' in sys.modules)"
    program += "\nprint(numpy_plugin.build.build.__name__)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "build"]
