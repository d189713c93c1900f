"""`retourne rules`, `explain` and `schema`: what a log may say, and what is said of one."""

import json
from collections.abc import Iterator
from importlib.resources import as_file, files
from typing import Annotated, Any

import typer
from rich.text import Text

from engine.games import names
from engine.options import Option, default_preset, options, presets
from ingest.cli import complete
from ingest.cli.console import one_line, show
from ingest.cli.otherwise import check_preset
from ingest.cli.params import AsFormat, Format, Output, write, written
from ingest.cli.report_text import PREFIX, SEVERITY, wrapped
from ingest.cli.terminal import Lang, Mistyped, console
from ingest.finding import rulebook
from ingest.finding.codes import DOCUMENT, Entry, codes
from ingest.finding.rulebook import rule_text
from ingest.games import every
from ingest.i18n import N_, Translate

MEANING = N_("meaning")
DEFAULT_MARK = N_("default of {game}")


def meanings() -> list[str]:
    """What the options of all games mean, marked for the catalogue: the engine knows none."""
    return [meaning for own in every().values() for meaning in own.MEANINGS]


def rules(
    ctx: typer.Context,
    preset: Annotated[
        str | None,
        typer.Argument(
            metavar=N_("PRESET"),
            autocompletion=complete.presets,
            help=N_("A preset, such as lavardin."),
        ),
    ] = None,
    format: AsFormat = Format.TEXT,
    lang: Lang = None,
) -> None:
    """List presets, or one preset's options."""
    t: Translate = ctx.obj
    check_preset(preset)
    if format is Format.JSONL:
        return write(_presets() if preset is None else _options(t, preset))
    if preset is None:
        heads = [t(N_("preset")), t(N_("game")), ""]
        rows = [
            (
                one["preset"],
                one["game"],
                t(DEFAULT_MARK, game=one["game"]) if one["default"] else "",
            )
            for one in _presets()
        ]
        return show(console(), heads, rows)
    heads = [t(head) for head in (N_("option"), N_("value"), N_("may be"), N_("rule"), MEANING)]
    game = _game_of(preset)
    show(
        console(),
        heads,
        [
            (one.name, _word(presets(game)[preset][one.name]), _may(one), one.rule, t(one.doc))
            for one in options(game)
        ],
    )


def _presets() -> Iterator[dict[str, Any]]:
    """Every preset as an object."""
    for game in names():
        for name in presets(game):
            yield {"preset": name, "game": game, "default": name == default_preset(game)}


def _options(t: Translate, preset: str) -> Iterator[dict[str, Any]]:
    """A preset’s options as objects; `values` is null where all from low to high will do."""
    game = _game_of(preset)
    for option in options(game):
        yield {
            "option": option.name,
            "game": game,
            "preset": preset,
            "value": presets(game)[preset][option.name],
            "values": option.values,
            "low": option.low if option.values is None else None,
            "high": option.high if option.values is None else None,
            "rule": option.rule,
            "meaning": t(option.doc),
        }


def _game_of(preset: str) -> str:
    return next(game for game in names() if preset in presets(game))


def _word(value: object) -> str:
    """A value as a log writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _may(option: Option) -> str:
    """What an option may be."""
    if option.values is None:
        return f"{option.low}–{option.high}"
    return ", ".join(map(_word, option.values))


NEITHER = N_("No such code or rule: {name}. retourne explain lists the codes.")


def explain(
    ctx: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar=N_("CODE|RULE"),
            autocompletion=complete.codes,
            help=N_("A finding’s code, or a rule’s id."),
        ),
    ] = None,
    format: AsFormat = Format.TEXT,
    lang: Lang = None,
) -> None:
    """Show a code, a rule, or the list of the codes."""
    t: Translate = ctx.obj
    out = console()
    known = [one for one in codes() if name is None or one.code == name.lower()]
    rule = None if known else _named(t, str(name))
    if format is Format.JSONL:
        return write([_rule_object(t, rule)] if rule else (_object(t, one) for one in known))
    if name is None:
        return show(out, [t(N_("code")), t(N_("rule")), t(N_("message"))], _list(t))
    lines = list(_code(t, known)) if rule is None else [*_rule(t, rule), Text()]
    lines += [_title(t, one) for one in codes() if one.rule == rule]
    for line in lines:
        for piece in wrapped(line, "", out.width):
            out.print(piece)


def _named(t: Translate, name: str) -> str:
    """The id of a rule somebody names. Stop: there is neither such a rule nor such a code."""
    rule = name.lower() if name.lower() == "format" else name.upper()
    if rule != "format" and rule not in rulebook.rules(t.language):
        every = {*(one.code for one in codes()), *rulebook.rules(t.language)}
        raise Mistyped(NEITHER, name, every, name=name)
    return rule


def _object(t: Translate, one: Entry) -> dict[str, Any]:
    """A code in one game, or in documents, as an object; `…` stands for what a log fills in."""
    return {
        "code": one.code,
        "game": None if one.game == DOCUMENT else one.game,
        "rule": one.rule,
        "severity": one.severity,
        "message": one.message(t),
        "advice": one.advice(t),
    }


def _rule_object(t: Translate, rule: str) -> dict[str, Any]:
    """A rule as an object, its text as the rules have it."""
    found = rule_text(rule, t)
    resting = dict.fromkeys(one.code for one in codes() if one.rule == rule)
    return {"rule": found.id, "title": found.title, "text": found.text, "codes": list(resting)}


def _list(t: Translate) -> Iterator[tuple[Text, str, str]]:
    """A row a code: itself, the rules it rests on, its sentence."""
    for code in dict.fromkeys(one.code for one in codes()):
        every = [one for one in codes() if one.code == code]
        named = ", ".join(dict.fromkeys(one.rule for one in every))
        said = every[0].message(t)
        if not any(sign.isalpha() for sign in said):  # all of it is what a log fills in
            said = every[0].advice(t)
        yield Text(code, style=SEVERITY[every[0].severity]), named, said


def _code(t: Translate, every: list[Entry]) -> Iterator[Text]:
    """A code in each game that has it: sentence, what to do, example, rule."""
    yield Text(every[0].code, style="bold")
    yield Text(t(PREFIX.get(every[0].severity, "")) + every[0].message(t))
    yield Text(t("What to do: {advice}", advice=every[0].advice(t)))
    for one in every:
        if one.example is not None:
            shipped = files("data").joinpath(*one.example.parts[1:])
            if shipped.is_file():  # a game from elsewhere has no examples among ours
                with as_file(shipped) as path:
                    yield Text(t("Example: {path}", path=path), style="dim")
    for rule in dict.fromkeys(one.rule for one in every):
        yield Text()
        yield from _rule(t, rule)


def _rule(t: Translate, rule: str) -> Iterator[Text]:
    """`CH-9` with its title, then its text."""
    found = rule_text(rule, t)
    yield Text.assemble((found.id, "bold"), " ", (rulebook.plain(found.title), "bold"))
    for paragraph in found.text.split("\n\n"):
        rows = [line for line in paragraph.splitlines() if line.startswith("|")]
        if rows:
            yield from (Text(rulebook.plain(line)) for line in rows)
        elif paragraph.strip():
            yield Text(rulebook.plain(one_line(paragraph)))


def _title(t: Translate, one: Entry) -> Text:
    line = Text(one.code, style=SEVERITY[one.severity])
    game = "" if one.game == DOCUMENT else f" ({one.game})"
    return line.append(t("{what}: {message}", what=game, message=one.message(t)), style="default")


def schema(ctx: typer.Context, output: Output = None, lang: Lang = None) -> None:
    """Write the JSON Schema."""
    from schemas.log import json_schema

    with written(output) as file:
        file.write((json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n").encode())
