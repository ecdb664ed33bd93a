"""Random expressions. Their types are NumPy's answers; nothing here knows a rule of promotion."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

import numpy as np

from random_programs.dtypes import (
    CASTS,
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    PLAIN,
    WHOLE,
    type_of,
)
from random_programs.tree import Expression, Program

ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_BITWISE = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]

# Functions with identical bits on every target.
_UNARY_FUNCTIONS = {
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "square": np.square,
    "absolute": np.absolute,
    "isnan": np.isnan,
    "isfinite": np.isfinite,
}
_BINARY_FUNCTIONS = {
    "minimum": np.minimum,
    "maximum": np.maximum,
    "fmin": np.fmin,
    "fmax": np.fmax,
}
_ROUNDED_FUNCTIONS = ["arctan", "tanh", "cbrt", "sin"]


class Expressions:
    """Makes expressions of the variables and programs that are given to it."""

    def __init__(self, generator: random.Random) -> None:
        self.random = generator
        self.scope: dict[str, str] = {}  # types of variables that have a value
        self.programs: list[Program] = []  # callable programs
        self.makers: list[Callable[[int], Expression | None]] = (
            [self.arithmetic] * 8
            + [self.bitwise] * 3
            + [self.comparison] * 2
            + [self.choice] * 2
            + [self.unary, self.function, self.function, self.pair_function, self.logical]
            + [self.power, self.extremum, self.conversion, self.conversion, self.call, self.call]
        )

    def any(self, depth: int) -> Expression:
        """Return an expression of some dtype, no plain number."""
        if depth > 0 and self.random.random() < 0.85:
            for _ in range(4):
                made = self.random.choice(self.makers)(depth - 1)
                if made is not None and made.type in DTYPES:
                    return made
        return self.variable()

    def variable(self) -> Expression:
        name = self.random.choice([n for n, type in self.scope.items() if type in DTYPES])
        return Expression(self.scope[name], name, name)

    def plain(self, kind: str) -> Expression:
        """Return a plain number that every type holds: a literal, or made of a loop's variable."""
        small = str(self.random.randint(0, 7))
        counters = [name for name, type in self.scope.items() if type == "int"]
        if kind == "float":
            text = self.random.choice(["0.5", "2.5", "0.1", "1e-3", "3.0"])
            if counters and self.random.random() < 0.3:
                text = f"({self.random.choice(counters)} * {text})"
            return Expression("float", text, text)
        if not counters or self.random.random() < 0.5:
            return Expression("int", small, small)
        counter = self.random.choice(counters)
        kernel = self.random.choice(
            [counter, f"({counter} + {small})", f"(2 * {counter})", f"min({counter}, {small})"]
        )
        return Expression("int", kernel, kernel)

    def operand(self, depth: int) -> Expression:
        """Return any operand, sometimes a plain number."""
        if self.random.random() < 0.2:
            return self.plain(self.random.choice(PLAIN))
        return self.any(depth)

    def of(self, wanted: str, depth: int) -> Expression:
        """Return an expression of exactly this type."""
        if wanted in PLAIN:
            return self.plain(wanted)
        for _ in range(2):
            made = self.any(depth)
            if made.type == wanted:
                return made
        return self.cast(wanted, made)

    def cast(self, wanted: str, value: Expression) -> Expression:
        """Return a value in another type, written as a cast."""
        if value.type in COMPLEX and wanted not in COMPLEX:
            part = self.random.choice(["real", "imag"])
            real = "f4" if value.type == "c8" else "f8"
            value = Expression(real, f"{{}}.{part}", f"{{}}.{part}", [value])
        return Expression(wanted, f"{CASTS[wanted]}({{}})", f"as_{wanted}({{}})", [value])

    def condition(self, depth: int) -> Expression:
        return self.comparison(depth) or self.cast("bool", self.any(depth))

    def two(self, depth: int) -> tuple[Expression, Expression]:
        """Return two operands of which one at least has a dtype."""
        both = [self.any(depth), self.operand(depth)]
        self.random.shuffle(both)
        return both[0], both[1]

    def arithmetic(self, depth: int) -> Expression | None:
        left, right = self.two(depth)
        symbol = self.random.choice(list(ARITHMETIC))
        made = type_of(ARITHMETIC[symbol], left.type, right.type)
        text = f"({{}} {symbol} {{}})"
        if made is None or (symbol == "/" and made in COMPLEX):
            return None
        if symbol == "*" and made in COMPLEX:
            return Expression(made, text, f"multiply_{made}({{}}, {{}})", [left, right])
        return Expression(made, text, text, [left, right])

    def bitwise(self, depth: int) -> Expression | None:
        left, right = self.two(depth)
        symbol = self.random.choice(list(_BITWISE))
        made = type_of(_BITWISE[symbol], left.type, right.type)
        text = f"({{}} {symbol} {{}})"
        return made and Expression(made, text, text, [left, right])

    def comparison(self, depth: int) -> Expression | None:
        left, right = self.two(depth)
        symbols = [self.random.choice(_COMPARISONS)]
        operands = [left, right]
        if self.random.random() < 0.15:
            symbols.append(self.random.choice(_COMPARISONS))
            operands.append(self.operand(depth))
        if any(operand.type in COMPLEX for operand in operands):
            symbols = [self.random.choice(["==", "!="]) for _ in symbols]
        text = "({} " + " ".join(f"{symbol} {{}}" for symbol in symbols) + ")"
        return Expression("bool", text, f"as_bool{text}", operands)

    def common(self, left: Expression, right: Expression) -> str | None:
        return type_of(operator.add, left.type, right.type)

    def choice(self, depth: int) -> Expression | None:
        left, right = self.two(depth)
        made = self.common(left, right)
        text = "({1} if {0} else {2})"
        operands = [self.condition(depth), left, right]
        return made and Expression(made, text, f"as_{made}{text}", operands)

    def logical(self, depth: int) -> Expression | None:
        left, right = self.two(depth)
        made = self.common(left, right)
        text = f"({{}} {self.random.choice(['and', 'or'])} {{}})"
        return made and Expression(made, text, f"as_{made}{text}", [left, right])

    def extremum(self, depth: int) -> Expression | None:
        left, right = self.two(depth)
        made = self.common(left, right)
        if made is None or made in COMPLEX:
            return None
        kernel, oracle = self.random.choice([("min", "least"), ("max", "greatest")])
        texts = f"{kernel}({{}}, {{}})", f"as_{made}({oracle}({{}}, {{}}))"
        return Expression(made, *texts, [left, right])

    def unary(self, depth: int) -> Expression | None:
        value = self.any(depth)
        symbol = self.random.choice(["-", "-", "+", "~", "not ", "abs"])
        if symbol == "not ":
            return Expression("bool", "(not {})", "as_bool(not {})", [value])
        is_wrong = {
            "-": value.type == "bool",
            "+": value.type == "bool",
            "~": value.type not in WHOLE,
            "abs": value.type in COMPLEX,
        }[symbol]
        text = "abs({})" if symbol == "abs" else f"({symbol}{{}})"
        return None if is_wrong else Expression(value.type, text, text, [value])

    def function(self, depth: int) -> Expression | None:
        value = self.any(depth)
        if value.type in COMPLEX:
            return Expression(value.type, "np.conjugate({})", "np.conjugate({})", [value])
        name = self.random.choice(list(_UNARY_FUNCTIONS))
        made = type_of(_UNARY_FUNCTIONS[name], value.type)
        return made and Expression(made, f"np.{name}({{}})", f"np.{name}({{}})", [value])

    def pair_function(self, depth: int) -> Expression | None:
        left, right = self.two(depth)
        name = self.random.choice(list(_BINARY_FUNCTIONS))
        made = type_of(_BINARY_FUNCTIONS[name], left.type, right.type)
        kernel = f"np.{name}({{}}, {{}})"
        oracle = kernel.removeprefix("np.") if name in ("fmin", "fmax") else kernel
        return None if made in COMPLEX else made and Expression(made, kernel, oracle, [left, right])

    def power(self, depth: int) -> Expression | None:
        value = self.any(depth)
        if value.type in INTEGERS:
            exponent = self.random.choice(["2", "1", "0", "3"])
        elif value.type in FLOATS and value.type != "bf16":
            # Not of a name: it may begin as an integer, of which -1 is refused.
            negative = [] if not value.operands else ["-1"]
            exponent = self.random.choice(["2", "1", "0", "0.5", *negative])
        else:
            return None
        text = f"({{}} ** {exponent})"
        return Expression(value.type, text, text, [value])

    def conversion(self, depth: int) -> Expression | None:
        value = self.any(depth)
        if value.type in COMPLEX:
            return self.cast(self.random.choice(list(DTYPES)), value)
        is_whole = value.type in WHOLE
        kernel, made, oracle = self.random.choice(
            [
                ("int({})", "i8", "as_i8({})"),
                ("float({})", "f8", "as_f8({})"),
                ("bool({})", "bool", "as_bool({})"),
                ("math.floor({})", "i8", "as_i8({})" if is_whole else "as_i8(np.floor({}))"),
                ("round({})", "i8", "as_i8({})" if is_whole else "as_i8(np.rint({}))"),
                ("", "", ""),
            ]
        )
        if not kernel:
            return self.cast(self.random.choice(list(DTYPES)), value)
        return Expression(made, kernel, oracle, [value])

    def call(self, depth: int) -> Expression | None:
        programs = [each for each in self.programs if len(each.results) == 1]
        return self.call_of(self.random.choice(programs), depth) if programs else None

    def call_of(self, program: Program, depth: int) -> Expression:
        """Return a call; its type is the program's first result's."""
        operands = [self.of(type, min(depth, 1)) for type in program.parameters.values()]
        text = f"{program.name}({', '.join(['{}'] * len(operands))})"
        return Expression(program.results[0], text, text, operands, program)

    def rounded(self, type: str) -> Expression:
        """Return a call of a function that targets may round otherwise."""
        name = self.random.choice(_ROUNDED_FUNCTIONS)
        return Expression(type, f"np.{name}({{}})", f"np.{name}({{}})", [self.of(type, 1)])
