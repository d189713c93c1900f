"""What a schema calls in place of an operator: it does what the chosen mutant does.

All mutants of a module are in one program; the number in `CELLS` chooses one of them. Compiled code
reads it from memory, so nothing is compiled again for another mutant. Each function has the number
of its first mutant, and marks it as reached.
"""

import ctypes
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload, register_jitable

NONE = -1
"""The number of no mutant."""
MOST = 40_000
"""More than there are mutants."""
ENOUGH = 10**12
CELLS = (ctypes.c_int64 * 2)(NONE, ENOUGH)
"""The chosen mutant, and how many turns of `while` it may still take."""
REACHED = (ctypes.c_uint8 * MOST)()
"""1 for each site that was reached, at the number of its first mutant."""


def _pointer(builder: Any, address: int, type_: Any) -> Any:
    return builder.inttoptr(ir.Constant(ir.IntType(64), address), type_.as_pointer())


@intrinsic
def _chosen(typing: Any, n: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        base = _pointer(builder, ctypes.addressof(REACHED), ir.IntType(8))
        builder.store(ir.Constant(ir.IntType(8), 1), builder.gep(base, [args[0]]))
        chosen = builder.load(_pointer(builder, ctypes.addressof(CELLS), ir.IntType(64)))
        return builder.sub(chosen, args[0])

    return types.int64(types.int64), code


@intrinsic
def _turn(typing: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cell = _pointer(builder, ctypes.addressof(CELLS) + 8, ir.IntType(64))
        left = builder.sub(builder.load(cell), ir.Constant(ir.IntType(64), 1))
        builder.store(left, cell)
        return builder.icmp_signed(">=", left, ir.Constant(ir.IntType(64), 0))

    return types.boolean(), code


def chosen(n: int) -> int:
    """Mark site `n` as reached; return which of its mutants is chosen, from 0, else another number."""
    REACHED[n] = 1
    return CELLS[0] - n


def turn() -> bool:
    """Return whether a loop may take another turn."""
    CELLS[1] -= 1
    return CELLS[1] >= 0


@overload(chosen)
def _compiled_chosen(n):
    return lambda n: _chosen(n)  # type: ignore[call-arg]


@overload(turn)
def _compiled_turn():
    return lambda: _turn()  # type: ignore[call-arg]


COMPARISONS = {
    "Lt": ("<", "<=", ">="),
    "LtE": ("<=", "<", ">"),
    "Gt": (">", ">=", "<="),
    "GtE": (">=", ">", "<"),
    "Eq": ("==", "!="),
    "NotEq": ("!=", "=="),
    "In": ("in", "not in"),
    "NotIn": ("not in", "in"),
    "Is": ("is", "is not"),
    "IsNot": ("is not", "is"),
}
"""By the name of a node: what it does, then what its mutants do; the next alike."""
ARITHMETIC = {
    "Add": ("+", "-"),
    "Sub": ("-", "+"),
    "Mult": ("*", "+"),
    "FloorDiv": ("//", "*"),
    "Mod": ("%", "//"),
    "LShift": ("<<", ">>"),
    "RShift": (">>", "<<"),
    "BitAnd": ("&", "|"),
    "BitOr": ("|", "&"),
    "BitXor": ("^", "|"),
}


def _made(name: str, source: str) -> Any:
    namespace: dict[str, Any] = {"chosen": chosen}
    exec(source, namespace)
    return register_jitable(namespace[name])


for _name, (_right, *_wrong) in (COMPARISONS | ARITHMETIC).items():
    _lines = [f"    if m == {at}: return a {op} b\n" for at, op in enumerate(_wrong)]
    _source = f"def {_name}(n, a, b):\n    m = chosen(n)\n{''.join(_lines)}    return a {_right} b\n"
    globals()[_name] = _made(_name, _source)
for _name, (_right, _changed) in ARITHMETIC.items():
    _source = (
        f"def i{_name}(n, a, b):\n    if chosen(n) == 0: a {_changed}= b\n"
        f"    else: a {_right}= b\n    return a\n"
    )
    globals()[f"i{_name}"] = _made(f"i{_name}", _source)


@register_jitable
def is_run(n: int) -> bool:
    """Return whether a statement runs."""
    return chosen(n) != 0


@register_jitable
def is_swapped(n: int) -> bool:
    """Return whether `and` is `or`, or `or` is `and`."""
    return chosen(n) == 0


@register_jitable
def goes_on(n: int, left: Any) -> bool:
    """Return whether the right side of an `and` counts: it has its `or` where it is swapped."""
    return bool(left) != (chosen(n) == 0)


@register_jitable
def negation(n: int, value: Any) -> bool:
    """Return `not value`; of the mutant, whether it is true."""
    return (not value) != (chosen(n) == 0)


@register_jitable
def truth(n: int, value: Any) -> bool:
    """Return whether a condition holds; of the mutant, whether it does not."""
    return (not value) == (chosen(n) == 0)


@register_jitable
def number(n: int, value: int) -> int:
    """Return a number; of the mutants, one more and one less."""
    m = chosen(n)
    if m == 0:
        return value + 1
    if m == 1:
        return value - 1
    return value


@register_jitable
def complement(n: int, value: Any) -> Any:
    """Return `~value`; of the mutant, the value."""
    if chosen(n) == 0:
        return value
    return ~value


@register_jitable
def opposite(n: int, value: Any) -> Any:
    """Return `-value`; of the mutant, the value."""
    if chosen(n) == 0:
        return value
    return -value


def both(n: int, left: Any, right: Any, is_or: bool) -> Any:
    """Return the value of `left() and right()`, or of `or`, for what is not compiled."""
    value = left()
    return value if bool(value) == (is_or != (chosen(n) == 0)) else right()
