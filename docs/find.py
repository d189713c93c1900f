"""Write the table of words in `docs/find.md` from the words themselves: `python -m docs.find`."""

from pathlib import Path

from dashboard.queries.find import word_list
from dashboard.queries.find.language import MAX_DEPTH, MAX_LENGTH, MAX_TERMS

PAGE = Path(__file__).with_name("find.md")
HEAD = f"""# Find deals

The page *Find deals*, `retourne find SEARCH` and `GET /api/v1/find?q=SEARCH` find deals by cards, bids,
announcements, scores, findings and single plays. The page has widgets that write the search, and shows
each deal at the card by which it was found.

```sh
retourne ingest data/match-belote.json --store found.duckdb
retourne find 'contract won>=100 -dealer' --store found.duckdb --limit 2
```

- All words of a search must be true. `or`, `not` and brackets combine them: `not` (or `-`)
  binds closest, then words side by side, then `or`. In French: `et`, `ou`, `sans`.
- A word about **the player** is about one seat. A deal is found if the whole search is true for one of its
  seats: `player:Lucie lost>=20` are deals that Lucie lost, `with:Lucie lost>=20` those that somebody at her
  table lost. `retourne find` marks that seat with ▸.
- A word about **a play** is about one card that the player played: `trick:3 led:brisque holding:7t`. Side
  by side they are about the same card, with their `not` and their brackets with `or`: `trick:12 not took`.
  Words side by side in brackets are a card of their own: `(trick:1 took) (trick:2 took)`. A `not` on its own
  is true where no card fits: `not led:brisque`, `won not (trick:1 led:As)`.
- After `:` several values may follow, separated by commas: any of them is meant, of `hand`, `holding` and
  `with` all. Quotes hold spaces together: `event:"Coupe du Perche"`. Numbers and days also take `>=`, `<=`,
  `>` and `<`.
- Case and accents do not matter. A year or a month is all of its days.
- A card is a rank and a suit, `As` or `10♥`, in either language; `t` is the trump suit: `7t`.
- `held:tierce-t` is one in trump, `held:tierce-h` one in hearts. `announced` and `counted` without a kind
  take that of the `held` before them: `held:tierce not announced`.
- `contract` compares bids as the auction does: a capot is above every number.
- A fact that a log leaves open is false, and true after `not`.
- A search has at most {MAX_LENGTH} characters, {MAX_TERMS} words and {MAX_DEPTH} nested brackets.

No name of a masked player finds anything. Deals of score sheets are found too, unless the store has the
log of the same match. In *classique* Belote `hand` has the five cards before the taking; Chouineurs has
cards of two faces, which no word with a card finds. Words about plays replay the deals that the other words
leave: write some, or a date; the page counts those found among the last 100,000 of these deals. Words about
the player or a play do not find deals whose result is open, as of a log that breaks off: the store has no
rows of their seats.

## Saved searches

`retourne search add NAME SEARCH` or `POST /api/v1/commands/save-search` gives a search a name and a number:

- `/api/v1/searches/1/deals.atom` is a feed of the 50 deals that were added last; on a private store the
  reader of feeds has to send a token
- `/api/v1/searches/1/deals.csv` is a table of the deals, at most the 10,000 that were played last
- `retourne find --saved 1 --months` counts by month: the deals found, of how many, the share and its 95%
  interval. The share is of the deals with the `player`, `with`, `game`, `rules`, `date`, `event` and `source`
  that the search has outside brackets, and of which the store knows the seats; for words about plays, without
  score sheets

A removed search can be restored. One that names a player who was masked later finds nothing; purging a player
deletes the searches with the name.

## The words

In English and in French, written without accents.

| word | | finds | examples |
|---|---|---|---|
"""


def page() -> str:
    """The whole document."""
    rows = []
    for word in word_list():
        english, *others = word.names
        examples = ", ".join(f"`{one}`" for one in word.examples)
        also = ", ".join(f"`{one}`" for one in others)
        rows.append(f"| `{english}` | {also} | {word.meaning} | {examples} |\n")
    return HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
