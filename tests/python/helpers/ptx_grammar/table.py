"""The rows of opcodes.def, with all mnemonics that each form allows."""

from __future__ import annotations

import functools
import itertools
import pathlib
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

SOURCE = pathlib.Path(__file__).parents[4] / "src" / "simulator"
MOST_MNEMONICS = 4000  # of a form
NEED = re.compile(r"sm_\d+[af]?|ptx_\d+")


@dataclass(frozen=True)
class Form:
    """One of an opcode's forms: the grammar of its modifiers, and its operands as written."""

    opcode: str
    grammar: str
    operands: str

    def mnemonics(self) -> list[str]:
        """The mnemonics that the form allows for some target: all, or many in no order.

        Products of hints to caches, scopes, spaces and types have hundreds of thousands.
        """
        texts = list(dict.fromkeys(expand(self.grammar)))
        if len(texts) > MOST_MNEMONICS:
            texts = random.Random(self.operands).sample(texts, MOST_MNEMONICS)
        return [self.opcode + text for text in texts]


@dataclass(frozen=True)
class Type:
    """A type of PTX; predicates have 0 bytes."""

    spelling: str
    n_bytes: int
    kind: str


def rows_of(path: str, macro: str) -> Iterator[list[str]]:
    """Arguments of a macro's uses; adjacent strings are one."""
    text = re.sub(r"^\s*(//|#).*$", "", (SOURCE / path).read_text(), flags=re.M)
    text = re.sub(r"//[^\n\"]*$", "", text, flags=re.M)
    for use in re.split(r"^NPP_", text, flags=re.M)[1:]:
        name, _, rest = use.partition("(")
        if "NPP_" + name == macro:
            yield arguments_of(rest.strip().removesuffix(")"))


def arguments_of(text: str) -> list[str]:
    """Split at commas outside of strings and braces."""
    arguments, depth = [""], 0
    for token in re.findall(r'"[^"]*"|[^"]', re.sub(r'"\s*"', "", text)):
        depth += (token in "{(") - (token in "})")
        if token == "," and depth == 0:
            arguments.append("")
        else:
            arguments[-1] += token
    return [argument.strip() for argument in arguments]


@functools.cache
def types() -> dict[str, Type]:
    rows = rows_of("assembly/types.def", "NPP_PTX_TYPE")
    found = [Type(row[1].strip('"'), int(row[2]), row[3]) for row in rows]
    return {found_type.spelling: found_type for found_type in found}


@functools.cache
def modifiers() -> dict[str, str]:
    """Spellings of modifiers and types, by the names of the grammar."""
    path = "program/modifiers.def"
    named = {row[0]: row[1] for row in rows_of(path, "NPP_PTX_MODIFIER")}
    plain = {row[0]: row[0] for row in rows_of(path, "NPP_PTX_PLAIN_MODIFIER")}
    spellings = {**named, **plain}
    return {
        **{name.strip('"'): spelling.strip('"') for name, spelling in spellings.items()},
        **{spelling: spelling for spelling in types()},
    }


@functools.cache
def groups() -> dict[str, str]:
    rows = rows_of("program/modifiers.def", "NPP_PTX_GROUP")
    return {row[0].strip('"'): row[1].strip('"') for row in rows}


def forms() -> list[Form]:
    """All but those of matrices."""
    return [form for form in all_forms() if "R" not in form.operands.split()]


def matrix_forms() -> list[Form]:
    """Those with fragments."""
    return [form for form in all_forms() if "R" in form.operands.split()]


@functools.cache
def all_forms() -> list[Form]:
    found = []
    for row in rows_of("program/opcodes.def", "NPP_PTX_OPCODE"):
        for text in row[3:]:
            grammar, operands, *_ = arguments_of(text.strip("{}"))
            found.append(Form(row[1].strip('"'), grammar.strip('"'), operands.strip('"')))
    return found


@functools.cache
def expand(grammar: str) -> tuple[str, ...]:
    """Every text that matches: "", ".rn.f32" ..."""
    tokens = re.findall(r"[|\[\]()]|[^\s|\[\]()]+", grammar)
    texts, n_read = _choice(tokens, 0)
    assert n_read == len(tokens), grammar
    return tuple(texts)


def _choice(tokens: list[str], at: int) -> tuple[list[str], int]:
    texts, at = _sequence(tokens, at)
    while at < len(tokens) and tokens[at] == "|":
        more, at = _sequence(tokens, at + 1)
        texts = texts + more
    return texts, at


def _sequence(tokens: list[str], at: int) -> tuple[list[str], int]:
    parts: list[list[str]] = []
    while at < len(tokens) and tokens[at] not in "|])":
        token = tokens[at]
        if token in "[(":
            texts, at = _choice(tokens, at + 1)
            parts.append(["", *texts] if token == "[" else texts)
        else:
            parts.append(_word(token))
        at += 1
    return ["".join(words) for words in itertools.product(*parts)], at


def _word(name: str) -> list[str]:
    if NEED.fullmatch(name):
        return [""]
    if name in groups():
        return list(expand(groups()[name]))
    spelling = modifiers()[name]
    return [f".{spelling}" if spelling else ""]
