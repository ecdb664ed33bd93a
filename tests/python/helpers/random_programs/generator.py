"""Random programs: statements around random expressions.

Every variable has one type, chosen before its first assignment; assignments are of that type or of
one that it holds, and one at least is of exactly that type, so that it is what inference must find.
"""

from __future__ import annotations

import random

from random_programs.dtypes import COMPLEX, DTYPES, holds, type_of
from random_programs.expressions import ARITHMETIC, Expressions
from random_programs.tree import Expression, Program, Statement

_MOST_PARAMETERS = 4
_DEEPEST = 2


class Generator:
    """Makes one program after another; later ones may call earlier ones.

    `most` is how many statements the outermost block has at most; inner ones have fewer.
    """

    def __init__(self, seed: int, most: int) -> None:
        self.random = random.Random(seed)
        self.most = most
        self.programs: list[Program] = []

    def program(self) -> Program:
        name = f"p{len(self.programs)}"
        made = _ProgramMaker(self.random, self.programs, name, self.most).make()
        self.programs.append(made)
        return made


class _ProgramMaker:
    def __init__(
        self, generator: random.Random, callable_programs: list[Program], name: str, most: int
    ) -> None:
        self.random = generator
        self.most = most
        self.expressions = Expressions(generator)
        self.scope = self.expressions.scope
        self.n_names = 0
        self.n_loops = 0
        self.program = Program(name, self.make_parameters(), self.make_results())
        leaves = [each for each in callable_programs[-20:] if not each.callees() and each.is_exact]
        self.expressions.programs = generator.sample(leaves, min(2, len(leaves)))

    def make_parameters(self) -> dict[str, str]:
        count = self.random.randint(1, _MOST_PARAMETERS)
        return {f"a{i}": self.random.choice(list(DTYPES)) for i in range(count)}

    def make_results(self) -> list[str]:
        count = 2 if self.random.random() < 0.15 else 1
        return [self.random.choice(list(DTYPES)) for _ in range(count)]

    def make(self) -> Program:
        body = self.widen_parameters()
        body += self.block(0)
        body.append(self.last_return())
        self.program.body = body
        return self.program

    def widen_parameters(self) -> list[Statement]:
        """Give some parameters' variables a wider type, by an assignment under a condition."""
        for name, narrow in self.program.parameters.items():
            wide = self.random.choice(list(DTYPES))
            if holds(wide, narrow) and wide != narrow and self.random.random() < 0.5:
                self.program.widened[name] = wide
        self.scope.update(self.program.parameters | self.program.widened)
        statements = []
        for name, wide in self.program.widened.items():
            value = self.expressions.cast(wide, self.expressions.any(1))
            assignment = _assign(name, wide, value)
            statements.append(_branch(self.simple_condition(), [assignment]))
        return statements

    def block(self, depth: int) -> list[Statement]:
        """Return some statements; the names they bind are gone after them."""
        outside = dict(self.scope)
        statements: list[Statement] = []
        for _ in range(self.random.randint(1, max(1, self.most - depth))):
            statements += self.statement(depth)
        if depth:
            self.scope.clear()
            self.scope.update(outside)
        return statements

    def statement(self, depth: int) -> list[Statement]:
        makers = [self.new_variable] * 3 + [self.assignment] * 3 + [self.augmented, self.swap]
        makers += [self.unpacking]
        if depth < _DEEPEST:
            makers += [self.conditional] * 2 + [self.counted_loop, self.conditional_loop]
            makers += [self.early_return]
        if self.n_loops:
            makers += [self.loop_exit]
        return self.random.choice(makers)(depth)

    def variables(self) -> list[str]:
        """Return the names that may be assigned."""
        return [name for name, type in self.scope.items() if type in DTYPES]

    def deep(self) -> int:
        """Return how deep an expression may be; half of them are simple."""
        return self.random.choice([1, 1, 2, self.most])

    def simple_condition(self) -> Expression:
        return self.expressions.condition(self.random.randint(0, 1))

    def new_name(self, prefix: str = "v") -> str:
        self.n_names += 1
        return f"{prefix}{self.n_names}"

    def held_by(self, type: str) -> Expression:
        """Return a value that a variable of the type may be given."""
        if self.random.random() < 0.3:
            value = self.expressions.operand(1)
            if holds(type, value.type):
                return value
        return self.expressions.of(type, self.deep())

    def new_variable(self, depth: int) -> list[Statement]:
        name, type = self.new_name(), self.random.choice(list(DTYPES))
        first = self.held_by(type)
        statements = [_assign(name, type, first)]
        if first.type != type:  # the type comes from an assignment that may be unreachable
            exact = self.expressions.cast(type, self.expressions.any(1))
            condition = self.simple_condition()
            later = _assign(name, type, exact)
            statements.append(_branch(condition, [later]))
        self.scope[name] = type
        return statements

    def assignment(self, depth: int) -> list[Statement]:
        name = self.random.choice(self.variables())
        return [_assign(name, self.scope[name], self.held_by(self.scope[name]))]

    def augmented(self, depth: int) -> list[Statement]:
        name = self.random.choice(self.variables())
        type = self.scope[name]
        for _ in range(4):
            symbol = self.random.choice(list(ARITHMETIC))
            right = self.expressions.operand(1)
            made = type_of(ARITHMETIC[symbol], type, right.type)
            if made is not None and made not in COMPLEX and holds(type, made):
                oracle = f"{name} = as_{type}({name} {symbol} {{}})"
                return [Statement(f"{name} {symbol}= {{}}", oracle, [right])]
        return self.assignment(depth)

    def swap(self, depth: int) -> list[Statement]:
        names = self.variables()
        one = self.random.choice(names)
        same = [name for name in names if self.scope[name] == self.scope[one] and name != one]
        if not same:
            return self.assignment(depth)
        other = self.random.choice(same)
        text = f"{one}, {other} = {other}, {one}"
        return [Statement(text, text)]

    def unpacking(self, depth: int) -> list[Statement]:
        """Return a call of a program with two results, or a tuple by its own name."""
        pairs = [each for each in self.expressions.programs if len(each.results) == 2]
        if pairs:
            program = self.random.choice(pairs)
            types = program.results
            value = self.expressions.call_of(program, 1)
        else:
            types = [self.random.choice(list(DTYPES)) for _ in range(2)]
            items = [self.expressions.of(type, 1) for type in types]
            value = Expression("tuple", "({}, {})", "({}, {})", items)
        one, other, both = self.new_name(), self.new_name(), self.new_name("t")
        statements = [Statement(f"{both} = {{}}", f"{both} = {{}}", [value])]
        text = f"{one}, {other} = {both}"
        statements.append(Statement(text, text))
        self.scope.update({one: types[0], other: types[1]})
        return statements

    def conditional(self, depth: int) -> list[Statement]:
        condition = self.expressions.condition(self.deep())
        body = self.block(depth + 1)
        otherwise = self.block(depth + 1) if self.random.random() < 0.5 else []
        return [_branch(condition, body, otherwise)]

    def counted_loop(self, depth: int) -> list[Statement]:
        name = self.new_name("i")
        whole = self.expressions.cast("u1", self.expressions.any(1))
        bounds = self.random.choice(["{}", "1, {}", "{}, -1, -1", "0, {}, 2"])
        if self.random.random() < 0.5:
            whole = Expression("int", str(self.random.randint(0, 4)), "{}")
            whole.oracle = whole.kernel
        else:
            whole = Expression("u1", "({} % 5)", "({} % 5)", [whole])
        statement = Statement(
            f"for {name} in range({bounds}):", f"for {name} in trips({bounds}):", [whole]
        )
        outside = dict(self.scope)
        if "-1" not in bounds:
            self.scope[name] = "int"
        statement.blocks = [self.loop_body(depth)]
        self.scope.clear()
        self.scope.update(outside)
        return [statement]

    def conditional_loop(self, depth: int) -> list[Statement]:
        name = self.new_name("n")
        start = Statement(f"{name} = 0", f"{name} = 0")
        head = f"while {name} < {self.random.randint(1, 4)} and {{}}:"
        loop = Statement(head, head, [self.simple_condition()])
        step = Statement(f"{name} += 1", f"{name} += 1", fixed=True)
        self.scope[name] = "int"
        loop.blocks = [[step, *self.loop_body(depth)]]
        return [start, loop]

    def loop_body(self, depth: int) -> list[Statement]:
        self.n_loops += 1
        body = self.block(depth + 1)
        self.n_loops -= 1
        return body

    def loop_exit(self, depth: int) -> list[Statement]:
        word = self.random.choice(["break", "continue"])
        return [_branch(self.simple_condition(), [Statement(word, word)])]

    def early_return(self, depth: int) -> list[Statement]:
        values = [self.held_by(type) for type in self.program.results]
        return [_branch(self.simple_condition(), [self.returned(values)])]

    def last_return(self) -> Statement:
        values = []
        for type in self.program.results:
            if type in ("f4", "f8") and self.random.random() < 0.1:
                self.program.is_exact = False
                values.append(self.expressions.rounded(type))
            else:
                values.append(self.expressions.of(type, self.deep()))
        return self.returned(values)

    def returned(self, values: list[Expression]) -> Statement:
        kernel = "return " + ", ".join(["{}"] * len(values))
        oracle = "return " + ", ".join(f"as_{type}({{}})" for type in self.program.results)
        return Statement(kernel, oracle, values)


def _assign(name: str, type: str, value: Expression) -> Statement:
    return Statement(f"{name} = {{}}", f"{name} = as_{type}({{}})", [value])


def _branch(
    condition: Expression,
    body: list[Statement],
    otherwise: list[Statement] | None = None,
) -> Statement:
    return Statement("if {}:", "if {}:", [condition], [body, otherwise or []])
