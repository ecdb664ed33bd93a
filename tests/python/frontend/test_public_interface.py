"""What an editor and `help` show: docstrings, parameters and types of all that is public."""

import ast
import inspect
import os
import pickle
import pydoc
import types
from pathlib import Path

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core, cuda
from numpy_plugin._frontend.options import GeneralizedOptions, KernelOptions, LoopOptions

MODULES = {"numpy_plugin": npp, "cuda": cuda, "random": npp.random}
# Values, whose classes are documented.
VALUES = (str, int, types.ModuleType)
STUB = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())


@pytest.mark.parametrize(
    "kind", [npp.DeclaredFunction, cuda.Faults, cuda.FunctionKernel, cuda.Kernel, cuda.Launch]
)
def test_classes_are_named_by_the_public_module(kind):
    home = "numpy_plugin" if kind is npp.DeclaredFunction else "numpy_plugin.cuda"
    assert repr(kind) == f"<class '{home}.{kind.__name__}'>"
    assert f"c{home}\n{kind.__name__}\n".encode() in pickle.dumps(kind, 0)
    assert pickle.loads(pickle.dumps(kind)) is kind


def public_members() -> dict[str, object]:
    """All public functions and classes, and the classes' public members, by their dotted names."""
    found = {
        f"{name}.{item}": getattr(module, item)
        for name, module in MODULES.items()
        for item in module.__all__
        if not isinstance(getattr(module, item), VALUES)
    }
    for name, item in list(found.items()):
        if isinstance(item, type) and item.__module__.startswith("numpy_plugin"):
            for member, value in vars(item).items():
                if not member.startswith("_"):
                    found[f"{name}.{member}"] = value
    return found


MEMBERS = public_members()


def function_of(member: object):
    """Return what a member calls, where that is a function of Python's."""
    if isinstance(member, property):
        member = member.fget
    member = getattr(member, "__func__", member)
    return member if isinstance(member, types.FunctionType) else None


def is_data(member: object) -> bool:
    """Whether a member is described where its class is."""
    return isinstance(member, (str, int, float, type(None), types.MemberDescriptorType))


FUNCTIONS = {name: function for name, item in MEMBERS.items() if (function := function_of(item))}


@pytest.mark.parametrize("name", MEMBERS)
def test_docstrings(name):
    owner, _, member = name.rpartition(".")
    if is_data(MEMBERS[name]):
        assert f"\n    {member}: " in inspect.getdoc(MEMBERS[owner])
        return
    assert inspect.getdoc(MEMBERS[name])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_and_results_have_types(name):
    signature = inspect.signature(FUNCTIONS[name])
    for parameter in signature.parameters.values():
        if parameter.name not in ("self", "cls"):
            assert parameter.annotation is not parameter.empty, parameter
    assert signature.return_annotation is not signature.empty


DECLARING = {
    "numpy_plugin.vectorize": KernelOptions,
    "numpy_plugin.guvectorize": GeneralizedOptions,
    "numpy_plugin.fuse": LoopOptions,
    "numpy_plugin.compose": LoopOptions,
    "numpy_plugin.declare_device": None,
    "cuda.kernel": None,
}


@pytest.mark.parametrize("name", DECLARING)
def test_docstrings_name_every_parameter(name):
    function = FUNCTIONS[name]
    doc = inspect.getdoc(function)
    for section in ("Args:", "Returns:", "Raises:"):
        assert f"\n{section}\n" in doc
    described = doc[doc.index("Args:") : doc.index("Returns:")]
    for parameter in inspect.signature(function).parameters.values():
        assert f"\n    {parameter}".partition(":")[0] + ": " in described
    options = DECLARING[name]
    for option in options.__annotations__ if options is not None else ():
        assert f"    {option}: " in described or f"`{option}`" in described


def stub_functions() -> dict[str, ast.FunctionDef]:
    found = {}
    for owner in ast.walk(STUB):
        for node in getattr(owner, "body", []):
            if isinstance(node, ast.FunctionDef):
                found[f"{getattr(owner, 'name', '')}.{node.name}"] = node
    return found


def test_the_stub_of_the_core_has_types_everywhere():
    functions = stub_functions()
    assert len(functions) > 100
    for name, node in functions.items():
        arguments = node.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        missing = [one.arg for one in given if one.annotation is None and one.arg != "self"]
        assert not missing, name
        is_setter = any(isinstance(item, ast.Attribute) for item in node.decorator_list)
        assert node.returns is not None or is_setter, name


PUBLIC_MODULES = [npp, cuda, npp.random, cuda.atomic, cuda.const, cuda.local, cuda.shared]


@pytest.mark.parametrize("module", PUBLIC_MODULES, ids=lambda module: module.__name__)
def test_modules_list_what_is_public(module):
    names = {name for name in dir(module) if not name.startswith("__")}
    assert names == set(module.__all__)
    assert {"__all__", "__doc__", "__name__"} <= set(dir(module))
    assert len(dir(module)) == len(set(dir(module)))


def test_sphinx_documents_ufuncs(tmp_path):
    """With the extension: autodoc itself takes only Python's own classes for functions."""
    application = pytest.importorskip("sphinx.application")
    (tmp_path / "documented_module.py").write_text(
        "import numpy_plugin as npp\n\n"
        '@npp.vectorize\ndef lazy_of_sphinx(x, y=2.0):\n    """The sum."""\n    return x + y\n\n'
        'def plain(x):\n    """A function."""\n'
    )
    (tmp_path / "index.rst").write_text(".. automodule:: documented_module\n   :members:\n")
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n"
        "extensions = ['sphinx.ext.autodoc', 'numpy_plugin.sphinx_extension']\n"
    )
    out = tmp_path / "out"
    made = application.Sphinx(tmp_path, tmp_path, out, out, "text", status=None, freshenv=True)
    made.build()
    text = (out / "index.txt").read_text()
    assert "documented_module.lazy_of_sphinx(x, y=2.0, out=None, *" in "".join(text.split("\n"))
    assert "The sum." in text
    assert "documented_module.plain(x)" in text


# --- what a made ufunc shows ---


@npp.vectorize(["float64(float64, float64)"])
def documented(x: float, y: float = 2.0) -> float:
    """The sum of x and y."""
    return x + y


@npp.vectorize
def lazy(x):
    return x


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def core(a, out):
    """Itself."""
    for i in range(a.shape[0]):
        out[i] = a[i]


@npp.fuse
def fused(x):
    """The sine of x."""
    return np.sin(x)


@cuda.kernel("void(float64[:], float64)")
def kernel(values, factor):
    """Multiply by a factor."""
    values[0] *= factor


@npp.device
def device(x: float) -> float:
    """X itself."""
    return x


body = npp.vectorize(["dd->d"], name="body", args="x, y", body="return x;", doc="Itself.")
bare_body = npp.vectorize(["dd->d"], name="bare_body", args="x, y", body="return x;")
core_body = npp.guvectorize(
    "d->d", "(n)->(n)", name="core_body", args="a", outs="b", body="b(0) = a(0);"
)
composed = npp.compose(np.sin, body)

KEYWORDS = "casting='same_kind', order='K', dtype=None, subok=True, signature=None"
ELEMENTWISE = f"out=None, *, where=True, {KEYWORDS}"
GENERALIZED = f"out=None, *, axes=<no value>, axis=<no value>, keepdims=False, {KEYWORDS}"

# By name: parameters, docstring.
SHOWN = {
    "documented": (f"(x: float, y: float = 2.0, {ELEMENTWISE}) -> float", "The sum of x and y."),
    "lazy": (f"(x, {ELEMENTWISE})", ""),
    "core": (f"(a, {GENERALIZED})", "Itself."),
    "fused": (f"(x, {ELEMENTWISE})", "The sine of x."),
    "kernel": ("(values, factor)", "Multiply by a factor."),
    "device": ("(x: float) -> float", "X itself."),
    "body": (f"(x, y, {ELEMENTWISE})", "Itself."),
    "bare_body": (f"(x, y, {ELEMENTWISE})", ""),
    "core_body": (f"(a, {GENERALIZED})", ""),
    "composed": (f"(x1, x2, {ELEMENTWISE})", "sin(body(x1, x2))"),
}


def shown_doc(made, name):
    """Return a docstring as `help` shows it: below a line with the signature, as of NumPy's own."""
    parameters, doc = SHOWN[name]
    if not isinstance(made, np.ufunc):
        return doc
    line = f"{made.__name__}{parameters}"
    return f"{line}\n\n{doc}" if doc else line


@pytest.mark.parametrize("name", SHOWN)
def test_what_help_and_editors_show(name):
    made = globals()[name]
    assert str(inspect.signature(made)) == SHOWN[name][0]
    own_name = "sin_of_body" if name == "composed" else name
    assert (made.__name__, made.__qualname__, made.__module__) == (own_name, own_name, __name__)
    doc = shown_doc(made, name)
    assert inspect.getdoc(made) == doc
    for line in doc.splitlines():
        assert line in pydoc.plain(pydoc.render_doc(made))


def keywords_of(ufunc):
    """Return what a ufunc takes after its inputs."""
    return list(inspect.signature(ufunc).parameters.values())[ufunc.nin :]


@pytest.mark.skipif(not hasattr(np.add, "__signature__"), reason="NumPy's have one from 2.4 on")
def test_keywords_are_those_of_numpys_ufuncs():
    two = npp.vectorize(["d->dd"], name="two", args="x", outs="y, z", body="y = x; z = x;")
    for ours, numpys in [(body, np.add), (core, np.vecdot), (core_body, np.matmul), (two, np.modf)]:
        assert keywords_of(ours) == keywords_of(numpys)


def test_what_the_signature_says_can_be_called():
    bound = inspect.signature(documented).bind(1.0, y=3.0, dtype=float)
    assert documented(*bound.args, **bound.kwargs) == 4.0
    with pytest.raises(TypeError, match="missing a required argument: 'a'"):
        inspect.signature(core).bind()
    inspect.signature(core).bind(np.ones(3))


def test_operands_that_have_names_of_keywords_are_shown_by_position():
    made = npp.vectorize(["ddd->d"], name="made", args="x, order, y", body="return x - order * y;")
    assert str(inspect.signature(made)).startswith("(x, order_, /, y, out=None, *, where=True")
    assert made(1.0, 2.0, y=3.0) == -5.0


@pytest.mark.parametrize("name", ["documented", "lazy", "core", "fused", "kernel", "device"])
def test_the_definition_is_found(name):
    made = globals()[name]
    assert inspect.getsourcefile(inspect.unwrap(made)) == __file__
    assert inspect.getsource(inspect.unwrap(made)).strip().startswith("@")


def test_what_a_sent_ufunc_shows():
    copy = pickle.loads(pickle.dumps(body))
    assert (copy.__module__, copy.__doc__) == (__name__, shown_doc(body, "body"))
    assert inspect.signature(copy) == inspect.signature(body)


def test_ipython_shows_the_parameters_and_the_docstring():
    ipython = pytest.importorskip("IPython")
    oinspect = pytest.importorskip("IPython.core.oinspect")
    theme = {"theme_name": "nocolor"} if ipython.version_info >= (9,) else {}
    found = oinspect.Inspector(**theme).info(documented, oname="documented")
    assert found["docstring"] == shown_doc(documented, "documented")
    definition = "".join(found["definition"].split()).replace(",)", ")")  # one parameter per line
    assert definition == "".join(found["docstring"].splitlines()[0].split())
    assert os.path.expanduser(found["file"]) == __file__  # IPython writes the home as ~


def test_jedi_shows_the_parameters():
    jedi = pytest.importorskip("jedi")
    for made in (documented, body):
        (signature,) = jedi.Interpreter("made(", [{"made": made}]).get_signatures()
        assert [parameter.name for parameter in signature.params][:3] == ["x", "y", "out"]


def test_ufuncs_of_the_package_show_their_parameters():
    assert str(inspect.signature(npp.random.uniform)) == f"(seed, index, {ELEMENTWISE})"
    assert npp.random.uniform.__module__ == "numpy_plugin.random"


def test_an_operand_may_have_the_name_of_a_keyword():
    made = npp.vectorize(["d->d"], args="lambda", body="return lambda;")
    assert made(2.0) == 2.0


def test_the_stub_of_the_core_is_complete():
    names = {node.name for node in STUB.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    names |= {ast.unparse(node.target) for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert {name for name in vars(_core) if not name.startswith("_")} <= names
