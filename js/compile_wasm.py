"""Compiles a game's kernel to WebAssembly from the code that numba has for it.

The functions of a kernel stay as they are. numba translates them to LLVM's intermediate code, which
llvmlite optimises for wasm32 and `wasm-ld` links. `python -m js.compile_wasm FOLDER GAME …` does that in a
process of its own, because it replaces what `engine.jit` decorates with, and with `NUMBA_OPT=0`,
because numba would optimise for this machine.

Of numba it uses what is not documented: the option `_nrt`, `get_llvm_str`, `llvm_func_name`, and that
a compiled function takes a place for its result, one for an exception, then its arguments, an array
as seven numbers. `tests/js/` fails where a later version has changed any of it.
"""

import inspect
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from numba import config, types

from engine import jit

TRIPLE = "wasm32-unknown-unknown"
DATA_LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"
"""WebAssembly features the code may use: every browser and Node since 2021 has them."""
STACK_SIZE = 16384
CONFIG: Any = config
NJIT_OPTIONS: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "boundscheck": False,
    "_nrt": False,
}
"""Without numba's run-time: a kernel that allocates does not link."""


class BuildError(Exception):
    """Raised where no kernel can be made; the message says what is missing or wrong."""


class Row(NamedTuple):
    """An array parameter of a fixed length: the caller passes the address of its first number."""

    kind: Any  # numba's type of its numbers
    size: int  # bytes of one
    length: int

    @property
    def array(self) -> Any:
        return types.Array(self.kind, 1, "C")


def decorate_plainly() -> None:
    """Have `engine.jit` neither optimise for this machine nor cache: for this process only."""

    def compiled(function: Any, **options: Any) -> Any:
        return numba.njit(**(NJIT_OPTIONS | options))(function)

    jit.compiled = compiled
    jit.recursive = lambda signature: compiled


def linker() -> list[str]:
    """Return the command of wasm-ld: Debian's `lld`, or the one in `ziglang`. BuildError: neither."""
    if found := shutil.which("wasm-ld"):
        return [found]
    if subprocess.run([sys.executable, "-c", "import ziglang"], capture_output=True).returncode == 0:
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    raise BuildError("no wasm-ld: install Debian's lld, or ziglang from PyPI")


def exported_functions(name: str) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Yield each function of a game that the module exports: name, function, parameters."""
    from engine import cut, games, options

    game = games.game(name)
    kernel, match = game.kernel, game.match
    state, rules = numba.from_dtype(kernel.State), numba.from_dtype(options.rules_dtype(name))
    record, number = numba.from_dtype(match.Match), types.int64
    declared = Row(number, 8, games.DECLARED_COLUMNS)
    yield (
        "start",
        kernel.start,
        (state, rules, number, number, Row(types.uint8, 1, len(game.example_deck)), number),
    )
    yield "check", kernel.check, (state, rules, number)
    yield "step", kernel.step, (state, rules, number)
    yield "legal", kernel.legal, (state, rules, Row(types.uint16, 2, 2048))
    yield "total", kernel.total, (state, number)
    if hasattr(kernel, "points"):  # of cards, where a side's total is a score
        yield "points", kernel.points, (state, number)
    yield "open_match", match.open_match, (record, rules, number, number, number, number)
    yield "open_deal", match.open_deal, (record, number)
    yield "skip_unknown_deal", match.skip_unknown_deal, (record,)
    yield "close_deal", match.close_deal, (record, rules, state, number)
    sheet = (record, state, number, declared, number, number, number)
    yield "check_declared", match.check_declared, sheet
    yield "check_result", match.check_result, (record, declared, number, number, number)
    if (dealing := game.dealing_rules) is not None:
        yield "hand_size", dealing.hand_size, (number,)
        yield "receiver", _with_rules(dealing.receiver), (rules, number, number, number)
        yield "talon_place", dealing.talon_place, (rules, number, number)
    if game.has_cut:
        for players in game.players:
            cards = Row(number, 8, players)
            yield f"cut_{players}", _sole_extreme(cut.extreme_card), (cards, number, number)


def _with_rules(receiver: Any) -> Any:
    """Return a function of the rules too, which a game may need to know who is dealt a card."""
    if "rules" in inspect.signature(receiver.py_func).parameters:
        return receiver

    def with_rules(rules, players, dealer, place):  # type: ignore[no-untyped-def]
        return receiver(players, dealer, place)

    return jit.compiled(with_rules)


def _sole_extreme(extreme_card: Any) -> Any:
    """Return a function for the seat of the lowest or highest card, -1 where several share it."""

    def sole_extreme(cards, ranks, sign):  # type: ignore[no-untyped-def]
        seat, alone = extreme_card(cards, ranks, sign)
        return seat if alone else -1

    return jit.compiled(sole_extreme)


def compile_kernel(name: str, folder: Path) -> Path:
    """Write a game's `.wasm` into a folder and return its path. BuildError: it cannot be made."""
    command = linker()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    whole = llvm.parse_assembly(_retargeted("declare void @llvm.trap()"))
    exported = []
    for plain, function, parameters in exported_functions(name):
        signature = tuple(one.array if isinstance(one, Row) else one for one in parameters)
        function.compile(signature)
        result = function.overloads[signature]
        own = result.fndesc.llvm_func_name
        module = llvm.parse_assembly(_retargeted(result.library.get_llvm_str()))
        for part in module.functions:  # exported functions share many of those they call
            if not part.is_declaration and part.name != own:
                part.linkage = "linkonce_odr"
        whole.link_in(module)
        whole.link_in(llvm.parse_assembly(_retargeted(_entry(plain, own, parameters, result.signature))))
        exported.append(plain)
    for part in (*whole.functions, *whole.global_variables):
        if not part.is_declaration and part.name not in exported:
            part.linkage = "internal"
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu="generic", features=FEATURES, opt=3, reloc="static", codemodel="default"
    )
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes.getModulePassManager().run(whole, passes)
    _check_module(name, whole)
    object_file, target = folder / f"{name}.o", folder / f"{name}.wasm"
    object_file.write_bytes(machine.emit_object(whole))
    options = ["--no-entry", "--strip-all", "--gc-sections", "-z", f"stack-size={STACK_SIZE}"]
    exports = [f"--export={plain}" for plain in ("__heap_base", *exported)]
    try:
        subprocess.run([*command, *options, *exports, object_file, "-o", target], check=True)
    except subprocess.CalledProcessError as error:
        raise BuildError(f"{name}: wasm-ld ended with {error.returncode}") from None
    finally:
        object_file.unlink()
    return target


def _retargeted(text: str) -> str:
    """Return intermediate code with the target replaced by wasm32.

    Kernels compute with 64-bit integers and keep no pointers, so the smaller pointers change nothing.
    """
    old = ("target triple", "target datalayout")
    lines = [line for line in text.splitlines() if not line.startswith(old)]
    return "\n".join([f'target datalayout = "{DATA_LAYOUT}"', f'target triple = "{TRIPLE}"', *lines])


def _entry(plain: str, own: str, parameters: tuple[Any, ...], signature: Any) -> str:
    """Return the code of an exported function, which calls numba's.

    Whole numbers cross as doubles, exact up to 2⁵³, so that JavaScript needs no BigInt for them; what
    numba would raise as an exception traps.
    """
    taken, passed, body = [], [], []
    for at, one in enumerate(parameters):
        if isinstance(one, Row):
            taken.append(f"ptr %a{at}")
            shape = f"i64 {one.length}, i64 {one.size}"
            passed.append(f"ptr null, ptr null, {shape}, ptr %a{at}, {shape}")
        elif one is types.int64:
            taken.append(f"double %a{at}")
            body.append(f"%n{at} = call i64 @llvm.fptosi.sat.i64.f64(double %a{at})")
            passed.append(f"i64 %n{at}")
        else:
            taken.append(f"ptr %a{at}")
            passed.append(f"ptr %a{at}")
    declared = ", ".join(part.rpartition(" ")[0] for one in passed for part in one.split(", "))
    kind = signature.return_type
    width = getattr(kind, "bitwidth", 8 if kind is types.boolean else 64)
    if not (isinstance(kind, types.Integer) or kind in (types.boolean, types.none)):
        raise BuildError(f"{plain}: returns {kind}")
    lines = [
        "%ret = alloca i64, align 8",
        "store i64 0, ptr %ret",
        "%exc = alloca ptr",
        *body,
        f"%status = call i32 @{own}(ptr %ret, ptr %exc, {', '.join(passed)})",
        "%bad = icmp ne i32 %status, 0",
        "br i1 %bad, label %trap, label %good",
        "trap:",
        "call void @llvm.trap()",
        "unreachable",
        "good:",
        f"%value = load i{width}, ptr %ret",
        f"%result = sitofp i{width} %value to double",
        "ret double %result",
    ]
    return "\n".join(
        [
            "declare void @llvm.trap()",
            "declare i64 @llvm.fptosi.sat.i64.f64(double)",
            f"declare i32 @{own}(ptr, ptr, {declared})",
            f"define double @{plain}({', '.join(taken)}) {{",
            *lines,
            "}",
        ]
    )


def _check_module(name: str, module: Any) -> None:
    """Check that a module needs nothing of this machine. BuildError: it does."""
    missing = [
        part.name for part in module.functions if part.is_declaration and not part.name.startswith("llvm.")
    ]
    if missing:
        raise BuildError(f"{name}: the kernel calls what WebAssembly does not have: {', '.join(missing)}")
    if "inttoptr (i64" in str(module):  # such as an array that numba keeps by its address
        raise BuildError(f"{name}: the kernel holds an address of this process")


def main() -> int:
    """Compile the games named on the command line into a folder."""
    folder, *names = sys.argv[1:]
    decorate_plainly()
    try:
        if int(CONFIG.OPT):
            raise BuildError("set NUMBA_OPT=0: numba would optimise for this machine")
        for name in names:
            compile_kernel(name, Path(folder))
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
