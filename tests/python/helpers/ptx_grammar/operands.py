"""Statements with operands of the kinds that a form of the table asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ptx_grammar.fragments import fragments
from ptx_grammar.table import Form, types

# Registers of each width in bytes; 0: predicates. Types of 1 byte are in registers of 2.
REGISTERS = {0: "%p", 2: "%h", 4: "%r", 8: "%d", 16: "%q"}
DECLARATIONS = [
    ".reg .pred %p<9>;",
    ".reg .b16 %h<9>;",
    ".reg .b32 %r<9>;",
    ".reg .b64 %d<9>;",
    ".reg .b128 %q<9>;",
]

# Variables in .param space exist around calls only.
ARGUMENT = ".param .align 16 .b8 argument[64];"
CONTEXTS = {
    "st": f"{{ {ARGUMENT} %s call taker, (argument); }}",
    "ld": f"{{ {ARGUMENT} call (argument), giver, (); %s }}",
}

# Numbers that an instruction takes, where not any small one.
NUMBERS = {"applypriority": 128, "cp": 16, "discard": 128, "setmaxnreg": 24}


class Operands:
    """Operands of one statement: each is another register."""

    def __init__(self, mnemonic: str) -> None:
        self.mnemonic = mnemonic
        self.opcode, *self.words = mnemonic.split(".")
        self.n_fragments = 0
        known = types()
        self.types = [known[word] for word in self.words if word in known]
        self.n_elements = next((int(w[1:]) for w in self.words if w in ("v2", "v4", "v8")), 1)
        self.n_used = 0

    def write(self, rules: Iterable[str]) -> list[str]:
        """The operands by the rules of the table: T T U."""
        return list(filter(None, map(self._operand, rules)))

    def has_parameter(self) -> bool:
        return any(word.startswith("param") for word in self.words)

    def needs_context(self) -> bool:
        return self.has_parameter() and (
            self.opcode == "st" or (self.opcode == "ld" and "param::func" in self.words)
        )

    def _register(self, n_bytes: int) -> str:
        self.n_used += 1
        held = min(max(n_bytes, 2), 16) if n_bytes else 0
        return f"{REGISTERS[held]}{self.n_used % 9}"

    def _of_type(self, index: int) -> str:
        return self._register(self._n_bytes(index))

    def _n_bytes(self, index: int) -> int:
        if not self.types:
            return 4
        return self.types[min(index, len(self.types) - 1)].n_bytes

    def _operand(self, rule: str) -> str:
        if rule == "OWN":
            return self._own()
        letter, *second = (
            rule.partition("@")[0].strip("[]+").replace("_", "").replace("&", "|").split("|")
        )
        if second:
            return f"{self._operand(letter)}|{self._operand(second[0])}"
        return getattr(self, f"_letter_{letter.lower()}")()

    def _letter_t(self) -> str:
        return self._of_type(0)

    def _letter_x(self) -> str:
        return "_"

    def _letter_r(self) -> str:
        self.n_fragments += 1
        return fragments(self.mnemonic)[self.n_fragments - 1]

    def _letter_s(self) -> str:
        return self._of_type(1)

    def _letter_w(self) -> str:
        return self._register(self._n_bytes(0) * (2 if "wide" in self.words else 1))

    def _letter_u(self) -> str:
        return self._register(4)

    def _letter_q(self) -> str:
        return self._register(8)

    def _letter_p(self) -> str:
        return self._register(0)

    def _letter_v(self) -> str:
        if self.n_elements == 1:
            return self._of_type(0)
        return "{" + ", ".join(self._of_type(0) for _ in range(self.n_elements)) + "}"

    def _letter_a(self) -> str:
        if self.opcode in CONTEXTS and self.has_parameter():
            return "[argument]" if self.needs_context() else "[parameter]"
        return f"[{self._register(8)}]"

    _letter_g = _letter_a
    _letter_m = _letter_a
    _letter_f = _letter_u
    _letter_c = _letter_u
    _letter_d = _letter_u

    def _letter_h(self) -> str:
        return self._register(8) if "L2::cache_hint" in self.words else ""

    def _letter_n(self) -> str:
        return str(NUMBERS.get(self.opcode, 1))

    def _letter_l(self) -> str:
        return "END"

    def _letter_b(self) -> str:
        return "TARGETS"

    def _own(self) -> str:
        if self.opcode == "call":
            return "callee"
        return f"{self._letter_v()}, {self._letter_v()}"


@dataclass(frozen=True)
class Statement:
    mnemonic: str
    text: str  # one line


def statements(mnemonic: str, form: Form) -> Iterator[Statement]:
    """Statements of a form, with and without optional operands.

    The mnemonic may be a neighbour of the form's own.
    """
    for operands in operand_lists(mnemonic, form):
        yield statement(mnemonic, operands)


def operand_lists(mnemonic: str, form: Form) -> Iterator[list[str]]:
    rules = [rule for rule in form.operands.split() if rule != "="]
    needed = [rule for rule in rules if not rule.startswith("[")]
    for some in [rules] if len(rules) == len(needed) else [rules, needed]:
        yield Operands(mnemonic).write(some)


def statement(mnemonic: str, operands: list[str]) -> Statement:
    text = f"{mnemonic} {', '.join(operands)}".strip() + ";"
    written = Operands(mnemonic)
    if written.needs_context():
        text = CONTEXTS[written.opcode] % text
    return Statement(mnemonic, text)


def module(statements: list[Statement], target: str, version: str) -> tuple[str, int]:
    """PTX with a statement on each line, and the line of the first."""
    before = [
        f".version {version}",
        f".target {target}",
        ".address_size 64",
        ".func callee() { ret; }",
        ".func taker(.param .align 16 .b8 a[64]) { ret; }",
        ".func (.param .align 16 .b8 a[64]) giver() { ret; }",
        ".entry kernel(.param .align 16 .b8 parameter[64]) {",
        *DECLARATIONS,
        "TARGETS: .branchtargets END;",
    ]
    text = "\n".join([*before, *(each.text for each in statements), "END: ret;", "}", ""])
    return text, len(before) + 1
