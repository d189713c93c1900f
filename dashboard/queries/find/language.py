"""Parses the language of searches inside games: `player:Lucie held:quinte not announced`.

A search has words that must all be true; `and`, `or`, `not` and brackets combine them, in English
or French. `not` binds closest, then `and`, then `or`.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from dashboard.games.find_word import BadSearch, FindTerm
from ingest.i18n import N_
from schemas.player_key import search_key

MAX_LENGTH, MAX_TERMS, MAX_DEPTH = 1000, 40, 20
"""Characters, words and nested brackets of a search."""
CONNECTIVES: Mapping[str, str] = {
    **{"and": "and", "et": "and", "or": "or", "ou": "or"},
    **{"not": "not", "non": "not", "sans": "not", "pas": "not"},
}
OPERATORS = {"=": ":", "≥": ">=", "≤": "<="}
TOKEN = re.compile(
    r"""\s*(?:
        (?P<bracket>[()])
        | (?P<word>[^\s():<>=≤≥"«»,]+)
          (?:(?P<operator>>=|<=|≥|≤|[:=<>])(?P<value>(?:"[^"]*"|«[^»]*»|[^\s()"«»,]+)
            (?:,(?:"[^"]*"|«[^»]*»|[^\s()"«»,]+))*))?
    )""",
    re.VERBOSE,
)
VALUE = re.compile(r'"([^"]*)"|«([^»]*)»|([^\s()"«»,]+)')

EMPTY = N_("Write a search, for example {example}.")
TOO_LONG = N_("A search has at most {characters} characters, {words} words and {brackets} nested brackets.")
NOT_READ = N_("Retourne cannot read the search from character {place}: “{rest}”.")
UNCLOSED = N_("The bracket at character {place} is not closed.")
NOTHING_AFTER = N_("“{word}” at character {place}: a word must come after it.")
EXAMPLE = "player:Lucie won"


class Not(NamedTuple):
    """True where the other is not."""

    node: "Node"


class Group(NamedTuple):
    """True where all (`and`) or any (`or`) of its parts are."""

    connective: str
    nodes: "tuple[Node, ...]"


class OnePlay(NamedTuple):
    """True where one card that the player played fits: words about plays, side by side."""

    node: "Node"


Node = FindTerm | Not | Group | OnePlay


class _Token(NamedTuple):
    kind: str
    """A bracket, a connective or `term`."""
    place: int
    term: FindTerm


def parse(text: str) -> Node:
    """Return a search as a tree of terms. BadSearch: it cannot be read."""
    if not text.strip():
        raise BadSearch(EMPTY, example=EXAMPLE)
    tokens = [] if len(text) > MAX_LENGTH else _tokens(text)
    depth = deepest = 0
    for token in tokens:
        depth += (token.kind == "(") - (token.kind == ")")
        deepest = max(deepest, depth)
    terms = sum(token.kind == "term" for token in tokens)
    # a `not` before another nests as a bracket does
    deepest += sum(token.kind == "not" for token in tokens)
    if not tokens or terms > MAX_TERMS or deepest > MAX_DEPTH:
        raise BadSearch(TOO_LONG, characters=MAX_LENGTH, words=MAX_TERMS, brackets=MAX_DEPTH)
    node, rest = _either(text, tokens)
    if rest:
        raise _not_read(text, rest[0].place)
    return node


def terms(node: Node) -> list[FindTerm]:
    """Return all terms of a search, in the order of the search."""
    match node:
        case FindTerm():
            return [node]
        case Not(one) | OnePlay(one):
            return terms(one)
        case Group(_, nodes):
            return [term for one in nodes for term in terms(one)]


def bind_plays(node: Node, is_play: Callable[[FindTerm], bool]) -> Node:
    """Return a search in which words about plays, side by side, are one `OnePlay`.

    With them are their `not` and brackets with `or`. Words side by side in brackets are a play of
    their own, and a `not` on its own is true where no play fits.
    """

    def about_plays(one: Node) -> bool:
        return all(map(is_play, terms(one)))

    def binds(one: Node) -> bool:
        within = one.node if isinstance(one, Not) else one
        return about_plays(one) and not (isinstance(within, Group) and within.connective == "and")

    match node:
        case FindTerm():
            return OnePlay(node) if is_play(node) else node
        case Not(one):
            return Not(bind_plays(one, is_play))
        case Group("and", nodes):
            bound = [one for one in nodes if binds(one)]
            if all(isinstance(one, Not) for one in bound):
                bound = []
            others = [bind_plays(one, is_play) for one in nodes if one not in bound]
            one_play = [OnePlay(Group("and", tuple(bound)))] if bound else []
            return one_play[0] if bound and not others else Group("and", (*one_play, *others))
        case Group(connective, nodes):
            return Group(connective, tuple(bind_plays(one, is_play) for one in nodes))
    return node


def _tokens(text: str) -> list[_Token]:
    found, at, end = list[_Token](), 0, len(text.rstrip())
    while at < end:
        match = TOKEN.match(text, at)
        if match is None:
            raise _not_read(text, at + 1)
        place = match.start("bracket" if match["bracket"] else "word") + 1
        word = search_key((match["word"] or "").strip())
        if match["word"] and word.startswith("-") and len(word) > 1:  # `-won` is `not won`
            found.append(_Token("not", place, FindTerm("-", "", (), place)))
            word, place = word[1:], place + 1
        operator = OPERATORS.get(match["operator"] or "", match["operator"] or "")
        read = [*VALUE.finditer(match["value"] or "")]
        values = tuple(one[one.lastindex or 0].strip() for one in read)
        places = tuple(match.start("value") + one.start(one.lastindex or 0) + 1 for one in read)
        kind = match["bracket"] or ("term" if operator else CONNECTIVES.get(word, "term"))
        found.append(_Token(kind, place, FindTerm(word, operator, values, place, places)))
        at = match.end()
    return found


def _either(text: str, tokens: list[_Token]) -> tuple[Node, list[_Token]]:
    node, rest = _all(text, tokens)
    nodes = [node]
    while rest and rest[0].kind == "or":
        node, rest = _all(text, _after(rest))
        nodes.append(node)
    return (nodes[0] if len(nodes) == 1 else Group("or", tuple(nodes))), rest


def _all(text: str, tokens: list[_Token]) -> tuple[Node, list[_Token]]:
    node, rest = _one(text, tokens)
    nodes = [node]
    while rest and rest[0].kind not in ("or", ")"):
        node, rest = _one(text, _after(rest) if rest[0].kind == "and" else rest)
        nodes.append(node)
    return (nodes[0] if len(nodes) == 1 else Group("and", tuple(nodes))), rest


def _one(text: str, tokens: list[_Token]) -> tuple[Node, list[_Token]]:
    first, rest = tokens[0], tokens[1:]
    if first.kind == "not":
        node, rest = _one(text, _after(tokens))
        return Not(node), rest
    if first.kind == "(":
        if not rest:
            raise BadSearch(UNCLOSED, place=first.place)
        node, rest = _either(text, rest)
        if not rest or rest[0].kind != ")":
            raise BadSearch(UNCLOSED, place=first.place)
        return node, rest[1:]
    if first.kind != "term":
        raise _not_read(text, first.place)
    return first.term, rest


def _after(tokens: list[_Token]) -> list[_Token]:
    """Return the tokens after a connective. BadSearch: there are none."""
    if len(tokens) == 1:
        raise BadSearch(NOTHING_AFTER, word=tokens[0].term.word, place=tokens[0].place)
    return tokens[1:]


def _not_read(text: str, place: int) -> BadSearch:
    return BadSearch(NOT_READ, place=place, rest=text[place - 1 :][:40])
