"""Registers of the fragments that a matrix instruction names."""

from __future__ import annotations

import re

BITS = {
    **{"b1": 1, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8},
    **{"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64},
}
ROLES = {"load.a": "a", "load.b": "b", "load.c": "c", "store.d": "d"}
WMMA_HALVES = 8  # registers of a factor of f16, whatever is in them


def fragments(mnemonic: str) -> list[str]:
    """The operands that are fragments, in their order: "{%r1, %r2}".

    Of a wrong mnemonic, without a shape or with too few types, any.
    """
    opcode, *words = mnemonic.split(".")
    if opcode in ("ldmatrix", "stmatrix"):
        n_matrices = next((int(word[1]) for word in words if re.fullmatch(r"x\d", word)), 1)
        return [_registers(n_matrices * (2 if "m16n16" in words else 1), "b32")]
    shapes = (re.fullmatch(r"m(\d+)n(\d+)k(\d+)", word) for word in words)
    shape = next(filter(None, shapes), None)
    types = [word for word in words if word in BITS]
    if shape is None or not types:
        return ["{%r1}"] * 4
    m, n, k = map(int, shape.groups())
    sizes = {"d": m * n, "a": m * k, "b": k * n, "c": m * n}
    role = ROLES.get(".".join(words[:2])) if opcode == "wmma" else None
    if role:
        return [_fragment(opcode, role, types[0], sizes[role], 32)]
    if len(types) == 2:  # of D and C; the factors are of f16
        types = [types[0], "f16", "f16", types[1]]
    is_of_quad_pairs = opcode == "mma" and (m, n, k) == (8, 8, 4) and types[0] != "f64"
    n_lanes = 8 if is_of_quad_pairs else 32
    return [
        _fragment(opcode, each, type_, sizes[each], n_lanes)
        for each, type_ in zip("dabc", types + 3 * types[-1:], strict=False)
    ]


def _fragment(opcode: str, role: str, type_: str, n_elements: int, n_lanes: int) -> str:
    if opcode == "wmma" and role in "ab" and type_ == "f16":
        return _registers(WMMA_HALVES, type_)
    register_bits = 64 if type_ == "f64" else 32
    return _registers(max(n_elements * BITS[type_] // (n_lanes * register_bits), 1), type_)


def _registers(count: int, type_: str) -> str:
    letter = "d" if type_ == "f64" else "r"
    return "{" + ", ".join(f"%{letter}{number}" for number in range(1, count + 1)) + "}"
