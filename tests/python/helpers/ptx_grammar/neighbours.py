"""Statements next to those of the table: one modifier or operand less, more or another one.

Most are errors. Which of them are, ptxas says.
"""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ptx_grammar import table
from ptx_grammar.operands import Statement, operand_lists, statement, statements
from ptx_grammar.table import Form

MOST_MNEMONICS = 12  # of a form, whose neighbours are written
MOST_NEIGHBOURS = 200  # of a form, with other modifiers
MOST_WITH_OTHER_OPERANDS = 2  # mnemonics of a form
N_STRANGE = 2  # modifiers of other opcodes in each place

NUMBERS = ["0", "5", "16", "24", "32", "128", "264", "-1", "0x1FFFFFFFF"]
REGISTERS = ["%p1", "!%p1", "%h1", "%r1", "-%r1", "%d1", "%q1", "%tid.x", "%clock64", "%r1.b0"]
OTHER_OPERANDS = [
    *NUMBERS,
    *REGISTERS,
    *["0f3F800000", "0d3FF0000000000000", "parameter", "END"],
    *["{%r1, %r2}", "{%h1, %h2, %h3, %h4}"],
    *["[%d1]", "[%r1]", "[%d1+8]", "[64]", "[parameter]"],
]
OTHER_RESULTS = ["_", "%r1|%p1", "%p1|%p2"]


def neighbours(form: Form) -> list[Statement]:
    """Neighbours of many of the form's mnemonics, each time the same."""
    chosen = random.Random(form.opcode + form.operands)
    mnemonics = form.mnemonics()
    if len(mnemonics) > MOST_MNEMONICS:
        mnemonics = chosen.sample(mnemonics, MOST_MNEMONICS)
    others = list(
        dict.fromkeys(other for each in mnemonics for other in other_mnemonics(each, chosen))
    )
    if len(others) > MOST_NEIGHBOURS:
        others = chosen.sample(others, MOST_NEIGHBOURS)
    found = [each for other in others for each in statements(other, form)]
    for mnemonic in mnemonics[:: max(1, -(-len(mnemonics) // MOST_WITH_OTHER_OPERANDS))]:
        found += other_operands(mnemonic, form)
    return found


def other_mnemonics(mnemonic: str, chosen: random.Random) -> Iterator[str]:
    opcode, *words = mnemonic.split(".")
    for others in other_words(words, words_of_opcodes()[opcode], chosen):
        yield ".".join([opcode, *others])


def other_words(words: list[str], known: list[str], chosen: random.Random) -> Iterator[list[str]]:
    for place in range(len(words)):
        yield words[:place] + words[place + 1 :]
        strange = chosen.sample(all_words(), N_STRANGE)
        for other in [*known, *kin(words[place]), *strange]:
            yield [*words[:place], other, *words[place + 1 :]]
    for first, second in itertools.combinations(range(len(words)), 2):
        exchanged = list(words)
        exchanged[first], exchanged[second] = words[second], words[first]
        yield exchanged
    for more in [*known, *chosen.sample(all_words(), N_STRANGE)]:
        place = chosen.randint(0, len(words))
        yield [*words[:place], more, *words[place:]]


def other_operands(mnemonic: str, form: Form) -> Iterator[Statement]:
    operands = next(operand_lists(mnemonic, form))
    for place, operand in enumerate(operands):
        before, after = operands[:place], operands[place + 1 :]
        yield statement(mnemonic, before + after)
        yield statement(mnemonic, [*before, operand, operand, *after])
        yield statement(mnemonic, [*before, *after[:1], operand, *after[1:]])
        for other in OTHER_OPERANDS if place else OTHER_OPERANDS + OTHER_RESULTS:
            yield statement(mnemonic, [*before, other, *after])
    yield statement(mnemonic, [*operands, "%r1"])


@functools.cache
def words_of_opcodes() -> dict[str, list[str]]:
    """The words of each opcode's mnemonics."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for form in table.all_forms():
        found[form.opcode].update(dict.fromkeys(words_in(table.expand(form.grammar))))
    return {opcode: list(words) for opcode, words in found.items()}


def words_in(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from filter(None, text.split("."))


@functools.cache
def all_words() -> list[str]:
    return sorted(set(words_in(table.modifiers().values())))


@functools.cache
def kin(word: str) -> list[str]:
    """The words of the same groups, or the other types."""
    if word in table.types():
        return list(table.types())
    found: dict[str, None] = {}
    for grammar in table.groups().values():
        texts = re.findall(r"[^\s|\[\]()]+", grammar)
        spellings = [table.modifiers().get(text, "") for text in texts]
        if word in spellings:
            found.update(dict.fromkeys(words_in(spellings)))
    return list(found)
