"""Write the table of search words in `docs/find.md`: `python -m docs.find`."""

from pathlib import Path

from dashboard.queries.find import word_list
from dashboard.queries.find.language import MAX_DEPTH, MAX_LENGTH, MAX_TERMS

PAGE = Path(__file__).with_name("find.md")
HEAD = f"""# Find deals

For everybody who looks for particular deals, by the page *Find deals*, `retourne find SEARCH` or
`GET /api/v1/find?q=SEARCH`.

```sh
retourne ingest data/match-belote.json --store found.duckdb
retourne find 'contract won>=100 -dealer' --store found.duckdb --limit 2
```

- All words must be true. `not` (or `-`) binds closest, then words side by side, then `or`; brackets group. In
  French: `et`, `ou`, `sans`.
- Words about **the player** are about one seat of a deal, which `retourne find` marks with ▸:
  `player:Lucie lost>=20` finds deals that Lucie lost, `with:Lucie lost>=20` those that somebody at her table
  lost.
- Words about **a play** are about one card that this player played: `trick:3 led:brisque holding:7t`,
  `trick:12 not took`. Each bracket is a card of its own: `(trick:1 took) (trick:2 took)`. A `not` before the
  first means that no card fits: `won not (trick:1 led:As)`.
- `position:7t,As,9h/10s` is a play with exactly these cards in hand and, after `/`, these in the trick, in
  order. Plain suits are interchangeable, unless there is no trump suit: then `sa`, `ta` or (Chouine) `-`
  comes last, `position:As,9h//sa`. *Search from here*, below a replay, writes it. A table above the deals
  counts the cards played there.
- After `:` write values, separated by commas: one of them must fit, of `hand`, `holding` and `with` all.
  Quotes keep spaces: `event:"Coupe du Perche"`. Numbers and days also take `>=`, `<=`, `>` and `<`.
- Case and accents do not matter. A year or a month means all of its days.
- A card is a rank and a suit, `As` or `10♥`, in either language; `t` is the trump suit: `7t`,
  `held:tierce-t`.
- `announced` and `counted` take a missing kind from the `held` before them: `held:tierce not announced`.
- `contract` compares bids as the auction does: a capot is above every number.
- A fact that a log leaves open is false, and true after `not`.
- A search has at most {MAX_LENGTH} characters, {MAX_TERMS} words and {MAX_DEPTH} nested brackets.

Names of masked players find nothing. Deals of score sheets are found unless the store has the log of the
match. In *classique* Belote `hand` has the five cards before the taking. Words with a card find no two-faced
cards of Chouineurs, words about the player or a play no deal without a result. Words about plays replay the
deals that the other words leave, those played last first: the page and the API count for a second, *Count on*
for 30, `retourne find --seconds N` as long as you want. A position is looked up in the stored actions first.

## Saved searches

`retourne search add NAME SEARCH` or `POST /api/v1/commands/save-search` gives a search a name and a number:

- `/api/v1/searches/1/deals.atom`: a feed of the last 50 deals added; of a private store, feed readers send a
  token
- `/api/v1/searches/1/deals.csv`: a table of the last 10,000 deals played
- `retourne find --saved 1 --months`: by month, the deals found and all deals, the share and its 95% interval.
  The share is of the deals with known seats that have the `player`, `with`, `game`, `player_count`, `preset`,
  `date`, `event` and `source` written outside brackets; for words about plays, without score sheets

Purging a player deletes searches with the name.

## The words

`retourne find --words` also lists the French words and more examples:

"""


def page() -> str:
    """The whole document."""
    rows = []
    for word in word_list():
        rows.append(f"- `{next(iter(word.examples), word.names[0])}`: {word.meaning}\n")
    return HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
