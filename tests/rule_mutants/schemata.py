"""Reads modules and puts all mutants of their functions into one program each.

An operator becomes a call of `switch` with the number of its first mutant.
"""

import ast
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tests.rule_mutants import switch

COMPILERS = {"compiled", "inlined", "recursive"}
SWITCH = "_switch"


class Mutant(NamedTuple):
    """One change of one place of the source."""

    number: int
    site: int
    """The number of the first mutant there."""
    module: str
    function: str
    line: int
    before: str
    """The text of the expression or statement."""
    mutation: str


def copied(node: ast.AST, mode: str = "eval") -> Any:
    """Return a copy of an expression, or of a statement (`exec`), before it is rewritten."""
    tree = ast.parse(ast.unparse(node), mode=mode)
    made = tree.body[0] if isinstance(tree, ast.Module) else tree.body  # type: ignore[attr-defined]
    for one in ast.walk(made):
        ast.copy_location(one, node)
    return made


class Schema(ast.NodeTransformer):
    """Rewrites one module; `mutants` are numbered on from `first`."""

    def __init__(self, module: str, first: int, skipped: Iterable[str], all_compiled: bool) -> None:
        self.module, self.next, self.skipped = module, first, set(skipped)
        self.all_compiled, self.is_compiled = all_compiled, all_compiled
        self.function = ""
        self.known: set[str] = set()
        """Names that the function has set so far."""
        self.mutants: list[Mutant] = []

    def call(self, node: ast.AST, name: str, mutations: Sequence[str], *args: ast.expr) -> ast.Call:
        """Return the call of a function of `switch` that stands for a node, and list its mutants."""
        site = self.next
        self.next += len(mutations)
        text = " ".join(ast.unparse(node).split("\n")[0].split())
        for at, mutation in enumerate(mutations):
            line = getattr(node, "lineno", 0)
            self.mutants.append(Mutant(site + at, site, self.module, self.function, line, text, mutation))
        helper = ast.Attribute(ast.Name(SWITCH, ast.Load()), name, ast.Load())
        return ast.copy_location(ast.Call(helper, [ast.Constant(site), *args], []), node)

    # what is left as it is

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        node.body = [
            self.visit(one) if isinstance(one, (ast.FunctionDef, ast.ClassDef)) else one for one in node.body
        ]
        return node

    def visit_Module(self, node: ast.Module) -> Any:
        imports = ast.parse(f"from {switch.__name__.rpartition('.')[0]} import switch as {SWITCH}").body
        at = next((i for i, one in enumerate(node.body) if isinstance(one, (ast.Import, ast.ImportFrom))), 0)
        self.visit_ClassDef(node)  # type: ignore[arg-type]
        node.body[at:at] = imports
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if node.name in self.skipped:
            return node
        outer = self.function, self.is_compiled, self.known
        names = {ast.unparse(one).split("(")[0] for one in node.decorator_list}
        self.is_compiled = self.is_compiled or bool(names & COMPILERS)
        self.function = f"{outer[0]}.{node.name}" if outer[0] else node.name
        self.known = outer[2] | {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        node.body = self.statements(node.body, False)
        self.function, self.is_compiled, self.known = outer
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        node.value = node.value and self.visit(node.value)
        return node

    # statements

    def statements(self, body: list[ast.stmt], is_followed: bool) -> list[ast.stmt]:
        """Return rewritten statements; `is_followed`: what follows runs if they do not return."""
        written: list[ast.stmt] = []
        for at, one in enumerate(body):
            follows = is_followed or at + 1 < len(body)
            original = copied(one, "exec") if self.is_removable(one, follows) else None
            new = self.statement(one, follows)
            if original is not None:
                new = ast.copy_location(
                    ast.If(self.call(original, "is_run", ["removed"]), [new], []), original
                )
            written.append(new)
        return written

    def is_removable(self, node: ast.stmt, is_followed: bool) -> bool:
        """Return whether a function runs without a statement, and may then do something else."""
        match node:
            case ast.Expr(ast.Call()) | ast.AugAssign():
                return True
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                return True
            case ast.Assign(targets=[ast.Name(name)]):
                return name in self.known
            case ast.Return():
                return is_followed or (node.value is None)
            case ast.Break() | ast.Continue():
                return True
        return False

    def statement(self, node: ast.stmt, is_followed: bool) -> ast.stmt:
        """Return a rewritten statement."""
        match node:
            case ast.If():
                node.test = self.condition(node.test)
                node.body = self.statements(node.body, is_followed and not node.orelse)
                node.orelse = self.statements(node.orelse, False)
            case ast.While():
                turn = ast.parse(f"{SWITCH}.turn()", mode="eval").body
                node.test = ast.BoolOp(ast.And(), [turn, self.condition(node.test)])
                node.body = self.statements(node.body, True)
            case ast.For():
                self.know(node.target)
                node.iter = self.visit(node.iter)
                node.body = self.statements(node.body, True)
            case ast.AugAssign():
                read = ast.parse(ast.unparse(node.target), mode="eval").body
                name = type(node.op).__name__
                if name not in switch.ARITHMETIC:
                    return node
                right, wrong = switch.ARITHMETIC[name]
                copy = copied(node, "exec")
                value = self.call(copy, f"i{name}", [f"{right}= → {wrong}="], read, self.visit(node.value))
                return ast.copy_location(ast.Assign([node.target], value), node)
            case ast.Assign():
                node.value = self.visit(node.value)
                for target in node.targets:
                    self.know(target)
            case ast.Return():
                node.value = node.value and self.visit(node.value)
            case ast.Expr():
                node.value = self.visit(node.value)
            case ast.With() | ast.Try():
                node.body = self.statements(node.body, is_followed)
            case _:
                return self.visit(node)
        return node

    def know(self, target: ast.expr) -> None:
        self.known |= {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}

    # expressions

    def condition(self, node: ast.expr) -> ast.expr:
        """Return a rewritten condition, of which only the truth counts."""
        match node:
            case ast.BoolOp():
                return self.joined(node)
            case ast.UnaryOp(ast.Not()) | ast.Compare() | ast.Constant():
                return self.visit(node)
        return self.call(copied(node), "truth", ["negated"], self.visit(node))

    def joined(self, node: ast.BoolOp) -> ast.expr:
        """Return `a and b` as `b if goes_on(a) else is_swapped()`, and `or` alike."""
        is_or = isinstance(node.op, ast.Or)
        words = ["or → and" if is_or else "and → or"]
        every = range(len(node.values))
        texts = [copied(ast.copy_location(ast.BoolOp(node.op, node.values[at:]), node)) for at in every[:-1]]
        found = self.condition(node.values[-1])
        for at in range(len(node.values) - 2, -1, -1):
            copy = texts[at]
            swapped = self.call(copy, "is_swapped", words)
            site = swapped.args[0]
            goes_on = ast.Call(
                ast.Attribute(ast.Name(SWITCH, ast.Load()), "goes_on", ast.Load()),
                [site, self.condition(node.values[at])],
                [],
            )
            if is_or:
                never = ast.UnaryOp(ast.Not(), swapped)
                found = ast.IfExp(goes_on, never, found)
            else:
                found = ast.IfExp(goes_on, found, swapped)
            found = ast.copy_location(found, node)
        return found

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        if self.is_compiled:
            return self.joined(node)
        if any(isinstance(one, (ast.NamedExpr, ast.Yield)) for one in ast.walk(node)):
            return self.generic_visit(node)
        is_or = isinstance(node.op, ast.Or)
        original = copied(node)
        *rest, found = (self.visit(one) for one in node.values)
        for left in reversed(rest):
            copy = copied(original)
            sides = [ast.Lambda(NO_ARGUMENTS, side) for side in (left, found)]
            words = ["or → and" if is_or else "and → or"]
            found = self.call(copy, "both", words, *sides, ast.Constant(is_or))
        return found

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test = self.condition(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        node.iter = self.visit(node.iter)
        node.ifs = [self.condition(one) for one in node.ifs]
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        if len(node.ops) > 1:
            places = [node.left, *node.comparators]
            pairs = [
                ast.copy_location(ast.Compare(left, [op], [right]), node)
                for left, op, right in zip(places, node.ops, places[1:], strict=False)
            ]
            copies = [copied(one) for one in pairs]
            return self.visit(ast.copy_location(ast.BoolOp(ast.And(), copies), node))
        name = type(node.ops[0]).__name__
        right, *wrong = switch.COMPARISONS[name]
        copy = copied(node)
        sides = self.visit(node.left), self.visit(node.comparators[0])
        return self.call(copy, name, [f"{right} → {one}" for one in wrong], *sides)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        name = type(node.op).__name__
        copy = copied(node)
        sides = self.visit(node.left), self.visit(node.right)
        if name not in switch.ARITHMETIC:
            return ast.copy_location(ast.BinOp(sides[0], node.op, sides[1]), node)
        right, wrong = switch.ARITHMETIC[name]
        return self.call(copy, name, [f"{right} → {wrong}"], *sides)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        copy = copied(node)
        match node:
            case ast.UnaryOp(ast.Not()):
                return self.call(copy, "negation", ["not removed"], self.visit(node.operand))
            case ast.UnaryOp(ast.USub(), ast.Constant()):
                return self.call(copy, "number", ["+ 1", "- 1"], node)
            case ast.UnaryOp(ast.Invert()):
                return self.call(copy, "complement", ["~ removed"], self.visit(node.operand))
        return self.call(copy, "opposite", ["- removed"], self.visit(node.operand))

    def visit_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, bool):
            return self.call(node, "truth", ["negated"], node)
        if isinstance(node.value, int):
            return self.call(node, "number", ["+ 1", "- 1"], node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        node.value = self.visit(node.value)
        in_tuple = isinstance(node.value, ast.Call) and isinstance(node.slice, ast.Constant)
        if not (in_tuple and self.is_compiled):  # numba asks which part of a tuple it is
            node.slice = self.visit(node.slice)
        return node


NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module as its schema."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), path)
        schemata = Finder.installed
        assert schemata is not None
        schema = Schema(
            fullname, len(schemata.mutants), schemata.targets[fullname], fullname in schemata.all_compiled
        )
        schema.visit(tree)
        schemata.mutants += schema.mutants
        assert len(schemata.mutants) < switch.MOST
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules to mutate; `targets` has the functions of each that are left alone."""

    installed: "Finder | None" = None

    def __init__(self, targets: Mapping[str, Sequence[str]], all_compiled: Iterable[str]) -> None:
        self.targets, self.all_compiled = targets, set(all_compiled)
        self.mutants: list[Mutant] = []

    def install(self) -> None:
        assert not self.targets.keys() & sys.modules.keys()
        Finder.installed = self
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.targets:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = Loader(name, spec.origin)
        return spec
