"""`retourne rules`, `explain`, `schema`, `deck check`: what a log may say, and what that means."""

import json
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import orjson
from rich.text import Text

from engine.games import floors, names
from engine.options import default_preset, options, presets
from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.report_text import PREFIX, SEVERITY, wrapped
from ingest.findings import rulebook
from ingest.findings.codes import DOCUMENT, Entry, codes
from ingest.findings.os_errors import reason
from ingest.findings.rulebook import rule_text
from ingest.games import every, of
from ingest.i18n import N_, Translate
from ingest.reader.escaping import plain
from ingest.store.outputs import Kind

OPTION_HEADS = (N_("option"), N_("value"), N_("may be"), N_("rule"), N_("meaning"))
NEITHER = N_("No such code or rule: {name}. retourne explain lists the codes.")
CANNOT_READ = N_("{path} cannot be read: {reason}.")
NO_CARDS = N_("{path} holds no list of cards, neither by itself nor under the key cards.")


def meanings() -> list[str]:
    """What the options of all games mean, marked for the catalogue: the engine knows none."""
    return [meaning for own in every().values() for meaning in own.MEANINGS]


def rules(
    run: cli.Run,
    preset: str | None = cli.argument(
        N_("A preset, such as lavardin."), N_("PRESET"), None, shell_completion.presets
    ),
    format: params.AsFormat = params.Format.TEXT,
) -> None:
    """List presets, or one preset's options."""
    t = run.t
    params.check_preset(preset)
    if preset is None:
        known: list[dict[str, Any]] = [
            {"preset": name, "game": game, "default": name == default_preset(game)}
            for game in names()
            for name in presets(game)
        ]
        if format is params.Format.JSONL:
            return params.write(known)
        for line in known:
            line["default"] = t("default of {game}", game=line["game"]) if line["default"] else ""
        listed = [[*line.values()] for line in known]
        return cli.show(cli.console(), [t("preset"), t("game"), ""], listed)
    game = next(game for game in names() if preset in presets(game))
    values = presets(game)[preset]
    if format is params.Format.JSONL:
        return params.write(
            {
                "option": option.name,
                "game": game,
                "preset": preset,
                "value": values[option.name],
                "values": option.values,  # null where all from low to high will do
                "low": option.low if option.values is None else None,
                "high": option.high if option.values is None else None,
                "rule": option.rule,
                "meaning": t(option.doc),
            }
            for option in options(game)
        )

    def word(value: object) -> str:  # as a log writes it
        return str(value).lower() if isinstance(value, bool) else str(value)

    rows = []
    for one in options(game):
        may = f"{one.low}–{one.high}" if one.values is None else ", ".join(map(word, one.values))
        rows.append((one.name, word(values[one.name]), may, one.rule, t(one.doc)))
    cli.show(cli.console(), [t(head) for head in OPTION_HEADS], rows)


def explain(
    run: cli.Run,
    name: str | None = cli.argument(
        N_("A finding’s code, or a rule’s id."), N_("CODE|RULE"), None, shell_completion.codes
    ),
    format: params.AsFormat = params.Format.TEXT,
) -> None:
    """Show a code, a rule, or the list of the codes."""
    t, out, every_code = run.t, cli.console(), codes()
    known = [one for one in every_code if name is None or one.code == name.lower()]
    rule = ""
    if name is not None and not known:
        rule = name.lower() if name.lower() == "format" else name.upper()
        if rule != "format" and rule not in rulebook.rules(t.language):
            among = {*(one.code for one in every_code), *rulebook.rules(t.language)}
            raise cli.Mistyped(NEITHER, name, among, name=name)
    resting = [one for one in every_code if one.rule == rule]
    if format is params.Format.JSONL:
        if not rule:
            return params.write(
                {
                    "code": one.code,  # in one game, or in documents
                    "game": None if one.game == DOCUMENT else one.game,
                    "rule": one.rule,
                    "severity": one.severity,
                    "message": one.message(t),  # … stands for what a log fills in
                    "advice": one.advice(t),
                }
                for one in known
            )
        found, under = rule_text(rule, t), dict.fromkeys(one.code for one in resting)
        told = {"rule": found.id, "title": found.title, "text": found.text, "codes": [*under]}
        return params.write([told])
    if name is None:
        rows = []
        for code in dict.fromkeys(one.code for one in known):
            of_code = [one for one in known if one.code == code]
            said = of_code[0].message(t)
            if not any(sign.isalpha() for sign in said):  # all of it is what a log fills in
                said = of_code[0].advice(t)
            named = ", ".join(dict.fromkeys(one.rule for one in of_code))
            rows.append((Text(code, style=SEVERITY[of_code[0].severity]), named, said))
        return cli.show(out, [t("code"), t("rule"), t("message")], rows)
    lines = [*_rule(t, rule), Text()] if rule else [*_code(t, known)]
    for one in resting:
        game = "" if one.game == DOCUMENT else f" ({one.game})"
        said = t("{what}: {message}", what=game, message=one.message(t))
        lines.append(Text(one.code, style=SEVERITY[one.severity]).append(said, style="default"))
    for line in lines:
        for piece in wrapped(line, "", out.width):
            out.print(piece)


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
            yield Text(rulebook.plain(cli.one_line(paragraph)))


def schema(run: cli.Run, output: params.Output = None, force: params.Force = False) -> None:
    """Write the JSON Schema."""
    from schemas.match_models import json_schema

    with params.written(params.place(output, Kind.JSON, force)) as file:
        file.write((json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n").encode())


def deck_check(
    run: cli.Run,
    file: Path = cli.argument(N_("The deck, as JSON."), N_("FILE")),
    format: params.AsFormat = params.Format.TEXT,
) -> None:
    """Whether the cards somebody typed in make a deck, as the first game with decks says it."""
    t, out = run.t, cli.console()
    try:
        value = orjson.loads(file.read_bytes())
    except OSError as error:
        raise cli.Stop(CANNOT_READ, path=file, reason=reason(t, error)) from None
    except ValueError:
        raise cli.Stop(CANNOT_READ, path=file, reason=t("it is no JSON")) from None
    cards = value.get("cards") if isinstance(value, dict) else value
    if not isinstance(cards, list):
        raise cli.Stop(NO_CARDS, path=file)
    deck = next(of(name).DECK_CHECK for name in names() if floors(name).brings_deck)
    assert deck is not None
    wrong = deck.wrong(t, cards)
    if format is params.Format.JSONL:
        params.write([{"file": str(file), "good": not wrong, "wrong": wrong}])
        cli.leave(cli.FOUND if wrong else cli.LEGAL)
    for line in wrong:
        out.print(Text(plain(line)))
    if wrong:
        out.print(Text(t("Not a deck yet: {n} to fix.", n=len(wrong)), style="red"))
        cli.leave(cli.FOUND)
    good, *rest = deck.good(t, cards)
    out.print(Text(good, style="green"))
    for line in rest:
        out.print(Text(line))
