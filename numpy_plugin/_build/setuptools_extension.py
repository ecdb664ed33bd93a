"""A module of ufuncs as setuptools sees it: an extension of object files, made when it asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from setuptools import Extension

__all__ = ["UfuncExtension"]


class UfuncExtension(Extension):  # type: ignore[misc,unused-ignore]
    """An extension without sources for setuptools to compile: only the objects are linked.

    Compiling them takes seconds, and most commands of setuptools, such as `sdist`, build nothing.
    """

    def __init__(self, name: str, source: Path, make: Callable[[str, Path], list[str]]) -> None:
        """Keep the function that makes the objects; setuptools builds again if `source` changes."""
        self._source = source
        self._make = make
        super().__init__(name, sources=[], depends=[str(source)], libraries=["m"], language="c++")

    @cached_property
    def _objects(self) -> list[str]:
        return self._make(self.name, self._source)

    @property
    def extra_objects(self) -> list[str]:
        """The object files, compiled now if they are not yet."""
        return self._objects

    @extra_objects.setter
    def extra_objects(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, given: list[str]
    ) -> None:
        """Take the empty list of the base class."""
        assert not given, given
