"""`retourne rules`, `explain`, `schema`, `lsp` and `deck check`."""

import json
import os
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import orjson
from rich.text import Text

from engine.games import game_modules, game_names
from engine.options import default_preset, game_options, game_presets
from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.report_text import SEVERITY_PREFIXES, SEVERITY_STYLES, wrap_indented
from ingest.cli.terminal_tables import console, print_table, to_one_line
from ingest.escaping import escape_line
from ingest.findings import rulebook
from ingest.findings.codes import DOCUMENT_GAME, CodeEntry, code_entries
from ingest.findings.os_errors import translate_reason
from ingest.findings.rulebook import find_rule
from ingest.games import game_support
from ingest.i18n import N_, Translate
from ingest.store.outputs import Kind

OPTION_HEADINGS = (N_("option"), N_("value"), N_("may be"), N_("rule"), N_("meaning"))
UNKNOWN_CODE_OR_RULE = N_("No such code or rule: {name}. retourne explain lists the codes.")
FILE_UNREADABLE = N_("{path} cannot be read: {reason}.")
NO_PYGLS = N_(
    "pygls is not installed. In the checkout: pip install '.[lsp]' – "
    "with the wheel: pip install 'FILE.whl[lsp]'"
)
NO_CARD_LIST = N_("{path} has no list of cards, neither directly nor under the key cards.")


def rules(
    run: cli.Run,
    preset: str | None = cli.argument(
        N_("A preset, such as lavardin."), N_("PRESET"), None, shell_completion.complete_presets
    ),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """List presets, or one preset's options."""
    t = run.t
    params.check_preset(preset)
    if preset is None:
        known: list[dict[str, Any]] = [
            {"preset": name, "game": game, "default": name == default_preset(game)}
            for game in game_names()
            for name in game_presets(game)
        ]
        if format is params.Format.JSONL:
            return params.write_json_lines(known)
        for line in known:
            line["default"] = t("default of {game}", game=line["game"]) if line["default"] else ""
        listed = [[*line.values()] for line in known]
        return print_table(console(), [t("preset"), t("game"), ""], listed)
    game = next(game for game in game_names() if preset in game_presets(game))
    values = game_presets(game)[preset]
    if format is params.Format.JSONL:
        return params.write_json_lines(
            {
                "option": option.name,
                "game": game,
                "preset": preset,
                "value": values[option.name],
                "values": option.values,  # null: any number from low to high
                "low": option.low if option.values is None else None,
                "high": option.high if option.values is None else None,
                "rule": option.rule,
                "meaning": t(option.doc),
            }
            for option in game_options(game)
        )

    def word(value: object) -> str:  # as in a log
        return str(value).lower() if isinstance(value, bool) else str(value)

    rows = []
    for one in game_options(game):
        may = f"{one.low}–{one.high}" if one.values is None else ", ".join(map(word, one.values))
        rows.append((one.name, word(values[one.name]), may, one.rule, t(one.doc)))
    print_table(console(), [t(head) for head in OPTION_HEADINGS], rows)


def explain(
    run: cli.Run,
    name: str | None = cli.argument(
        N_("A finding’s code, or a rule’s id."), N_("CODE|RULE"), None, shell_completion.complete_codes
    ),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Show a code, a rule, or the list of the codes."""
    t, out, every_code = run.t, console(), code_entries()
    known = [one for one in every_code if name is None or one.code == name.lower()]
    rule = ""
    if name is not None and not known:
        rule = name.lower() if name.lower() == "format" else name.upper()
        if rule != "format" and rule not in rulebook.rules_by_id(t.language):
            among = {*(one.code for one in every_code), *rulebook.rules_by_id(t.language)}
            raise cli.UnknownWordError(UNKNOWN_CODE_OR_RULE, name, among, name=name)
    resting = [one for one in every_code if one.rule == rule]
    if format is params.Format.JSONL:
        if not rule:
            return params.write_json_lines(
                {
                    "code": one.code,  # in one game, or in documents
                    "game": None if one.game == DOCUMENT_GAME else one.game,
                    "rule": one.rule,
                    "severity": one.severity,
                    "message": one.message(t),  # … stands for values of a log
                    "advice": one.advice(t),
                }
                for one in known
            )
        found, under = find_rule(rule, t), dict.fromkeys(one.code for one in resting)
        fields = {"rule": found.id, "title": found.title, "text": found.text, "codes": [*under]}
        return params.write_json_lines([fields])
    if name is None:
        rows = []
        for code in dict.fromkeys(one.code for one in known):
            of_code = [one for one in known if one.code == code]
            message = of_code[0].message(t)
            if not any(sign.isalpha() for sign in message):  # the message is only values of a log
                message = of_code[0].advice(t)
            named = ", ".join(dict.fromkeys(one.rule for one in of_code))
            rows.append((Text(code, style=SEVERITY_STYLES[of_code[0].severity]), named, message))
        return print_table(out, [t("code"), t("rule"), t("message")], rows)
    lines = [*_rule_lines(t, rule), Text()] if rule else [*_code_lines(t, known)]
    if resting:
        lines.append(Text(t("Findings of this rule (… replaces a name, a card or a number of your log):")))
    for one in resting:
        game = "" if one.game == DOCUMENT_GAME else f" ({one.game})"
        message = t("{what}: {message}", what=game, message=one.message(t))
        lines.append(Text(one.code, style=SEVERITY_STYLES[one.severity]).append(message, style="default"))
    for line in lines:
        for piece in wrap_indented(line, "", out.width):
            out.print(piece)


def _code_lines(t: Translate, entries: list[CodeEntry]) -> Iterator[Text]:
    """Yield a code's message, advice, examples and rules."""
    yield Text(entries[0].code, style="bold")
    yield Text(t(SEVERITY_PREFIXES.get(entries[0].severity, "")) + entries[0].message(t))
    yield Text(t("Next step: {advice}", advice=entries[0].advice(t)))
    for one in entries:
        if one.example_path is not None:
            shipped = files("data").joinpath(*one.example_path.parts[1:])
            if shipped.is_file():  # a game of another package has none here
                with as_file(shipped) as path:
                    yield Text(t("Example: {path}", path=path), style="dim")
    for rule in dict.fromkeys(one.rule for one in entries):
        yield Text()
        yield from _rule_lines(t, rule)


def _rule_lines(t: Translate, rule: str) -> Iterator[Text]:
    """Yield a rule's title, such as `CH-9`, and its text."""
    found = find_rule(rule, t)
    yield Text.assemble((found.id, "bold"), " ", (rulebook.without_markdown(found.title), "bold"))
    for paragraph in found.text.split("\n\n"):
        rows = [line for line in paragraph.splitlines() if line.startswith("|")]
        if rows:
            yield from (Text(rulebook.without_markdown(line)) for line in rows)
        elif paragraph.strip():
            yield Text(rulebook.without_markdown(to_one_line(paragraph)))


def schema(run: cli.Run, output: params.Output = None, force: params.Force = False) -> None:
    """Write the JSON Schema."""
    from schemas.json_schema import json_schema

    with params.open_output(params.place(output, Kind.JSON, force)) as file:
        file.write((json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n").encode())


def lsp(run: cli.Run) -> None:
    """Serve an editor over standard input and output."""
    try:
        from ingest.cli.language_server import build_server
    except ImportError:
        raise cli.CommandError(NO_PYGLS) from None
    # copies, since the server closes them
    with os.fdopen(os.dup(0), "rb") as requests, os.fdopen(os.dup(1), "wb") as responses:
        build_server(run.t).start_io(requests, responses)


def deck_check(
    run: cli.Run,
    file: Path = cli.argument(N_("The deck, as JSON."), N_("FILE")),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Check whether a list of cards is a deck, by the first game that has decks."""
    t, out = run.t, console()
    try:
        value = orjson.loads(file.read_bytes())
    except OSError as error:
        raise cli.CommandError(FILE_UNREADABLE, path=file, reason=translate_reason(t, error)) from None
    except ValueError:
        raise cli.CommandError(FILE_UNREADABLE, path=file, reason=t("it is not JSON")) from None
    cards = value.get("cards") if isinstance(value, dict) else value
    if not isinstance(cards, list):
        raise cli.CommandError(NO_CARD_LIST, path=file)
    deck = next(game_support(name).DECK_CHECKER for name in game_names() if game_modules(name).brings_deck)
    assert deck is not None
    wrong = deck.problems(t, cards)
    if format is params.Format.JSONL:
        params.write_json_lines([{"file": str(file), "good": not wrong, "wrong": wrong}])
        cli.exit_with(cli.EXIT_FINDINGS if wrong else cli.EXIT_OK)
    for line in wrong:
        out.print(Text(escape_line(line)))
    if wrong:
        out.print(Text(t("Not a deck yet: {n} to fix.", n=len(wrong)), style="red"))
        cli.exit_with(cli.EXIT_FINDINGS)
    good, *rest = deck.summary(t, cards)
    out.print(Text(good, style="green"))
    for line in rest:
        out.print(Text(line))
