"""A stranger finds the code for a question: its path or its first line has the word to grep."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
QUESTIONS = {
    "Where are duplicate matches found on upload?": ("duplicates", "ingest/store/upload_duplicates.py"),
    "Where are the rules of Coinche?": ("kernel", "engine/coinche/kernel.py"),
    "Where is the rate limit?": ("rate limit", "dashboard/api/rate_limits.py"),
    "Where is the Wilson interval?": ("wilson", "dashboard/queries/intervals.py"),
    "Where is a webhook delivered?": ("webhook", "dashboard/server/webhook_delivery.py"),
    "Where are webhooks stored?": ("webhook", "ingest/store/webhooks.py"),
    "Where is the folder of --watch-folder read?": ("--watch-folder", "dashboard/server/watch_folder.py"),
    "Where are edits suggested?": ("edit", "ingest/autofix/search.py"),
    "Where is 'Did you mean'?": ("did you mean", "ingest/reader/did_you_mean.py"),
    "Where are names of masked players redacted?": ("redact", "ingest/redact/anonymize_log.py"),
    "Where are ladder ratings computed?": ("rating", "ingest/store/ratings.py"),
    "Where are statistics precomputed?": ("rollup", "ingest/store/rollups.py"),
    "Where is a backup verified?": ("backup", "ingest/store/backup.py"),
    "Where does Ctrl-C stop work in the server?": ("ctrl-c", "ingest/cancellation.py"),
    "Where are exit codes?": ("exit code", "ingest/cli/common.py"),
    "Where is an .xlsx read?": (".xlsx", "ingest/importers/spreadsheet_worker.py"),
    "Where is authentication?": ("middleware", "dashboard/web/auth_middleware.py"),
    "Where are endgames solved?": ("endgame", "engine/solver.py"),
    "Where are hidden cards handled?": ("hidden", "engine/hidden/__init__.py"),
    "Where is the JSON Schema made?": ("json schema", "schemas/json_schema.py"),
    "Where is a token exchanged for a session cookie?": ("session cookie", "dashboard/web/sign_in.py"),
    "Where is the rule to follow suit in Coinche?": ("following suit", "engine/coinche/kernel.py"),
    "Where are scores rounded?": ("rounding", "engine/coinche/kernel.py"),
    "Where is an Excel date read?": ("excel", "ingest/importers/cells.py"),
    "Where are two players merged, and is that undone?": ("merges", "ingest/store/player_merges.py"),
    "Where are several logs of one match merged?": ("merge", "ingest/importers/merge_logs.py"),
    "Where are two versions of a match compared?": ("differ", "ingest/store/match_comparison.py"),
    "Where is a log anonymized?": ("anonymiz", "ingest/redact/anonymize_log.py"),
    "Where are Elo-like ratings?": (r"\belo\b", "ingest/store/ratings.py"),
    "Where are permissions decided?": ("permission", "dashboard/authentication.py"),
    "Where is CSV injection prevented?": ("csv injection", "ingest/escaping.py"),
    "Where do pages get smaller JavaScript for charts?": ("plotly", "dashboard/widgets/chart.py"),
    "Where is a note's result line read?": ("result", "ingest/importers/result_notes.py"),
    "Where is Belote scored?": ("scores", "engine/belote/kernel.py"),
    "Where is Accept-Language parsed?": ("header", "dashboard/text/accept_headers.py"),
    "Where are matches without cards proposed as one?": (
        "likely",
        "ingest/store/likely_duplicate_matches.py",
    ),
    "Where does a session end without use?": ("session", "ingest/store/sessions.py"),
    "Where are tokens revoked?": ("revokes", "ingest/store/tokens.py"),
    "Where is a zip bomb refused?": ("zip bomb", "ingest/reader/archives.py"),
    "Where is WebAssembly compiled?": ("compile_wasm", "js/compile_wasm.py"),
    "Where are hands searched as bit masks?": ("endgame_masks", "engine/endgame_masks.py"),
    "Where must a player overruff in Belote?": ("overruff", "engine/belote/kernel.py"),
    "Where must a player overruff in Coinche?": ("overruff", "engine/coinche/kernel.py"),
    "Where are webhooks retried?": ("retries", "dashboard/server/webhook_delivery.py"),
    "Where is the language of a page chosen?": ("choose a language", "dashboard/text/accept_headers.py"),
    "Where are texts translated?": ("translations", "ingest/i18n.py"),
    "Where is a masked player's name replaced?": ("masks", "ingest/store/pseudonyms.py"),
    "Where is a delete undone?": ("undo", "ingest/store/trash.py"),
    "Where is it decided who may delete a match?": ("who may delete", "ingest/operations/matches.py"),
    "Where are dates of spreadsheet cells read?": ("dates", "ingest/importers/sheet_dates.py"),
    "Where is the page of `retourne page` built?": ("retourne page", "dashboard/board/check_page.py"),
    "Where is a replay written as one file?": ("replay", "dashboard/board/offline_replay.py"),
    "Where are cards shuffled for simulated matches?": ("shuffles", "engine/belote/bots.py"),
    "Where is a written bid such as « 90 coeur » understood?": ("90 coeur", "ingest/importers/tokenizer.py"),
    "Where does a finding get the cell it came from?": ("cell", "ingest/importers/source_map.py"),
    "Where is a QR code made?": ("qr", "dashboard/text/qr_code.py"),
    "Where is X-Forwarded-For read?": ("x-forwarded-for", "dashboard/api/client_address.py"),
    "Where is a table printed to fit the terminal?": ("terminal", "ingest/cli/terminal_tables.py"),
    "Where is an old store upgraded?": ("migrat", "schemas/migrations.py"),
    "Where are earlier versions of a match kept?": ("earlier versions", "ingest/store/match_versions.py"),
    "Where is a heading such as 'preneur' recognised?": ("preneur", "ingest/importers/headings.py"),
    "Where is a date such as « 12 avr. » read?": ("dates", "ingest/importers/written_dates.py"),
    "Where are names of cards known, « valet » or « jack »?": ("card", "ingest/autofix/card_words.py"),
    "Where is an unknown key of a log found?": ("key", "ingest/validate/parse_document.py"),
    "Where is the best line of the last tricks?": ("double dummy", "engine/solver.py"),
    "Where are cards ruled out that a hand cannot have?": ("cannot have", "engine/hidden/scenarios.py"),
    "Where is it said that comments make no other match?": ("comments", "ingest/store/upload_duplicates.py"),
    "Where are a player's contracts in defence counted?": ("defence", "dashboard/queries/results.py"),
    "Where is each request logged?": ("access log", "dashboard/server/access_log.py"),
    "Where is the server's logging configured?": ("logging", "dashboard/server/server_logging.py"),
    "Where is the habit of a simulated player?": ("habit", "engine/simulate.py"),
    "Where is a share written with its interval?": ("interval", "dashboard/text/numbers.py"),
    "Where is a written deal decoded for the engine?": ("decoder", "schemas/deal_decoder.py"),
    "Where is it decided what each column of a sheet is?": ("column", "ingest/importers/sheets.py"),
    "Where is a player's place among peers computed?": ("percentile", "dashboard/queries/pooling.py"),
    "Where are the peers of a player chosen?": ("peers", "dashboard/queries/peers.py"),
    "Where is a draft of the card pad replayed?": ("draft", "dashboard/draft_match.py"),
    "Where is the log format?": ("models of whole matches", "schemas/match_models.py"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_leads_to_its_file(question: str) -> None:
    word, path = QUESTIONS[question]
    first_line = (ast.get_docstring(ast.parse((ROOT / path).read_text(encoding="utf-8"))) or "").partition(
        "\n"
    )[0]
    assert re.search(word, f"{path}\n{first_line}", re.IGNORECASE), f"{question} {path}: {first_line}"
