"""A small reader of `.d.ts` declarations, to compare them with values: no generics, no overloads."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_EXPORT = re.compile(
    r"^export (?:(?P<block>interface|class) (?P<name>\w+) \{\n(?P<body>.*?)^\}"
    r"|type (?P<alias>\w+) = (?P<type>[^;]*);"
    r"|function (?P<function>\w+)\((?P<taken>[^\n]*)\): [^\n]*;"
    r"|const (?P<const>\w+): [^\n]*;)",
    re.MULTILINE | re.DOTALL,
)
_MEMBER = re.compile(r"^  (?:readonly )?(\w+)(?:\((.*)\))?: ?(.*);$", re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*.*?\*/\n", re.MULTILINE | re.DOTALL)
PLAIN: dict[str, Any] = {"string": str, "number": (int, float), "boolean": bool, "object": dict}


class Member(NamedTuple):
    """A part of an interface or class; `required` counts a method's parameters, None: it is a value."""

    required: int | None
    type: str


class Declarations:
    """The exports of a `.d.ts` by name."""

    def __init__(self, text: str) -> None:
        self.members: dict[str, dict[str, Member]] = {}
        self.aliases: dict[str, str] = {}
        self.values: dict[str, int | None] = {}
        """Of what exists when the module runs, the parameters that a function needs."""
        for one in _EXPORT.finditer(_COMMENT.sub("", text)):
            if one["name"]:
                self.members[one["name"]] = dict(_members(one["body"]))
            elif one["alias"]:
                self.aliases[one["alias"]] = one["type"]
            else:
                name = one["function"] or one["const"]
                self.values[name] = _required(one["taken"]) if one["function"] else None
            if one["block"] == "class":
                constructor = re.search(r"^  constructor\((.*)\);$", one["body"], re.MULTILINE)
                self.values[one["name"]] = _required(constructor[1]) if constructor else 0

    def words(self, alias: str) -> list[str]:
        """Return the strings of a type that is one of several."""
        return [json.loads(one) for one in self.aliases[alias].split(" | ")]

    def misfit(self, value: Any, declared: str, path: str = "") -> str:
        """Return where a value is not of a type and what it is; empty if it is."""
        declared = declared.strip()
        if declared.startswith("(") and declared.endswith(")"):
            declared = declared[1:-1]
        if len(parts := _split(declared, " | ")) > 1:
            return f"{path}: {value!r}" if all(self.misfit(value, one) for one in parts) else ""
        if declared.endswith("[]"):
            if not isinstance(value, list):
                return f"{path}: {value!r}"
            found = (self.misfit(one, declared[:-2], f"{path}/{at}") for at, one in enumerate(value))
            return next(filter(None, found), "")
        if declared in self.aliases:
            return self.misfit(value, self.aliases[declared], path)
        if declared in self.members:
            return self._misfit_parts(value, declared, path)
        if declared == "null":
            fits = value is None
        elif declared.startswith('"'):
            fits = value == json.loads(declared)
        elif declared == "unknown":
            fits = True
        else:
            fits = isinstance(value, PLAIN[declared]) and isinstance(value, bool) == (declared == "boolean")
        return "" if fits else f"{path}: {value!r}"

    def _misfit_parts(self, value: Any, name: str, path: str) -> str:
        parts = {key: one.type for key, one in self.members[name].items() if one.required is None}
        if not isinstance(value, dict) or value.keys() != parts.keys():
            return f"{path}: {value!r} has other parts than {name}"
        found = (self.misfit(value[key], one, f"{path}/{key}") for key, one in parts.items())
        return next(filter(None, found), "")


def _members(body: str) -> Iterator[tuple[str, Member]]:
    for name, taken, returned in _MEMBER.findall(body.replace("readonly ", "")):
        is_method = re.search(rf"^  {name}\(", body, re.MULTILINE) is not None
        yield name, Member(_required(taken) if is_method else None, returned)


def _required(taken: str) -> int:
    """Return how many parameters of a list have to be given."""
    return sum("?:" not in one for one in _split(taken, ", ") if one)


def _split(text: str, by: str) -> list[str]:
    """Return the parts of a text, at separators that are in no brackets."""
    parts, depth = [""], 0
    for at, sign in enumerate(text):
        depth += (sign in "({[") - (sign in ")}]")
        if not depth and text.startswith(by, at):
            parts.append("")
        parts[-1] += sign
    return [parts[0], *(one.removeprefix(by) for one in parts[1:])]
