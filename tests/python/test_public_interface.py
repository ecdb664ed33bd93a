"""What an editor and `help` show: docstrings, parameters and types of all that is public."""

import ast
import inspect
import types
from pathlib import Path

import pytest

import numpy_plugin as npp
from numpy_plugin import _core, cuda
from numpy_plugin._options import GeneralizedOptions, KernelOptions, LoopOptions

MODULES = {"numpy_plugin": npp, "cuda": cuda, "random": npp.random}
# Values, whose classes are described.
VALUES = (str, int, types.ModuleType)
STUB = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())


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
