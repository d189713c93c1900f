"""What stands in every game's kernel and match once more is the same text, but for its comments.

numba does not cache what is compiled from a closure, so the loops over many actions and deals
cannot be made once for all games: each start of the program would compile them anew. They are
copied instead, and this holds the copies alike.
"""

import ast
from pathlib import Path

import pytest

from engine.games import game, names

COPIES = [("kernel", "run"), ("kernel", "trace"), ("kernel", "attempts"), ("match", "count")]


class _Plain(ast.NodeTransformer):
    """A function without its docstring, its parameters numbered instead of named."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.parameters = {one.arg: f"p{i}" for i, one in enumerate(node.args.args)}
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.parameters[node.arg]
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.parameters.get(node.id, node.id)
        return node


def text_of(name: str, module: str, function: str) -> str:
    """A function of a game as code without comments, docstring and names of parameters."""
    package = getattr(game(name), module)
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    (found,) = (
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function
    )
    return ast.unparse(_Plain().visit(found))


@pytest.mark.parametrize(("module", "function"), COPIES)
def test_copies_of_a_loop_are_alike_in_every_game(module: str, function: str) -> None:
    games: dict[str, list[str]] = {}
    for name in names():
        games.setdefault(text_of(name, module, function), []).append(name)
    assert list(games.values()) == [list(names())]
