"""Documentation of every table and column, written into the store and docs/tables.md.

A number's comment ends with its unit in brackets. What a code means that each game has for itself
stands in that game's `CODES`.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

Rows = Sequence[tuple[str, str]]
"""Of a column of small integers: `3` or `0–31`, and what they mean; words of the format stand in
backquotes."""


class TableDocs:
    """What a table or view is, and each of its columns, in their order."""

    def __init__(self, about: str, /, **columns: str) -> None:
        self.about, self.columns = about, columns


TEAM_DOC = "or team where partners play (1 for seats 1 and 3, 2 for seats 2 and 4)"
SUIT_DOC = "0 ♠, 1 ♥, 2 ♦, 3 ♣"
MATCH_COLUMNS = {"match_no": "The match, by its number in `matches` [number]"}
DEAL_COLUMNS = MATCH_COLUMNS | {
    "deal": "The deal in the log, from 0, as in a finding's path [number]"
}
SEAT_COLUMNS = {"seat": "The seat, from 1 as in the log [seat]"}
PLAYER_COLUMNS = {"player_no": "Who sat there, by the number in `players` [number]"}
MATCH_SEAT_COLUMNS, DEAL_SEAT_COLUMNS = (
    MATCH_COLUMNS | SEAT_COLUMNS | PLAYER_COLUMNS,
    DEAL_COLUMNS | SEAT_COLUMNS | PLAYER_COLUMNS,
)
VERDICT_DOC = (
    "`legal`; `unproven`: nothing wrong was found, but not all could be checked; `irregular`:"
    " against the rules, and it stood; `incomplete`: it breaks off; `broken`: it cannot have been"
    " played; `unreadable`: no log of any game"
)
RATING_COLUMNS = {
    "game": "The game",
    "preset": "The rules: matches of each preset have a ladder of their own",
    "place": "Of the match in its ladder's order, from 0 [number]",
    **MATCH_SEAT_COLUMNS,
    "rank": "In the match, from 1; partners and equals share one [rank]",
    "mu": "What the player is worth after the match, 25 before the first [µ]",
    "sigma": "How uncertain that is, 25/3 before the first [µ]",
}
TEXT_COLUMNS = {
    "text": "The log exactly as it came; NULL where it is not UTF-8",
    "bytes": "The log instead, where it is not UTF-8",
}
_STORE_DOCS: dict[str, TableDocs] = {
    "files": TableDocs(
        "Every file that was stored",
        file_no="In the order they came, from 0 [number]",
        name="Without its folder",
        added_at="When it was stored [UTC]",
        matches="Read in this file [matches]",
        duplicates="Of them already in the store, or twice in the file [matches]",
    ),
    "matches": TableDocs(
        "Every match that was read, of whatever verdict. All other rows of a match have its number",
        match_no="In the order they came, from 0; never given twice [number]",
        match_id="Hash of the decoded content, 32 hexadecimal digits",
        log_id="The id the log gives itself",
        file_no="The file it came in, by its number in `files` [number]",
        line="In that file, from 1 [line]",
        status=f"The worst of its deals: {VERDICT_DOC}",
        findings="How many rows `findings` has of it [findings]",
        game="NULL, as much of what follows, where the log is unreadable",
        preset="The rules the log names, the game's first preset where it names none",
        options="The rules as the log gives them where they are more than a name, JSON",
        players="Seats at the table [seats]",
        played_at="When it was played, as the log says [UTC]",
        event="Name of the event",
        details="`event` and `source` of the log whole, JSON",
        source="Name of the source",
        deals="In the log, void ones too [deals]",
        winner=f"Seat, {TEAM_DOC}; 0 for nobody; NULL while unfinished [seat]",
        rules_version="Of the engine's rules it was judged by; 0: old ones [number]",
        sheet="Nothing but lines of a score sheet leaves it unproven",
    ),
    "players": TableDocs(
        "Everybody who sat at a table",
        player_no="In the order they came, from 0 [number]",
        player_id="As in the log; of a masked player the pseudonym",
        name="As first read; of a masked player the pseudonym",
    ),
    "seats": TableDocs(
        "A seat of a match, and what its match counts there",
        **MATCH_SEAT_COLUMNS,
        score="As the log's `result` counts: parties won, or points, or the team's marks [points]",
        manches="Won; NULL where the game counts none [manches]",
        under="Of them, with the others passed under the table: without a partie [manches]",
    ),
    "deals": TableDocs(
        "Every deal, void and faulty ones too",
        **DEAL_COLUMNS,
        status=f"{VERDICT_DOC}",
        manche="It is played in, from 1 [number]",
        partie="In that manche, from 1; one that nobody wins is played again [number]",
        dealer="Who dealt, or leads first where nobody deals [seat]",
        void="Why it does not count: `maldonne`, `replay`, `abandoned`",
        outcome="How it ended: 0 not at all, 1 with its last card, others by game [code]",
        winner=f"Seat, {TEAM_DOC}; 0 for a drawn deal; NULL where nobody is known [seat]",
        trump=f"Suit: {SUIT_DOC}; NULL without one [suit]",
        contract="The last bid's place among the levels that can be bid, from 0 [code]",
        bidder="Who made the last bid [seat]",
        coinched="How often the contract was doubled: 0, 1, 2 [code]",
        made="The contract was made; NULL without one or before the end",
        first_lead="The first card led, as in `deck` [card]",
        tricks="Complete ones [tricks]",
        deck="The cards as they were dealt, as the game numbers them; NULL in it for one"
        " that nobody wrote down, instead of it where it could not be read [card]",
        actions="What was done, in order: 256 × (seat − 1) + act, as the game numbers acts;"
        " NULL as `deck` [code]",
        takers="Who took each trick, in order [seat]",
        told="A line of a score sheet: of its play nothing is known",
    ),
    "deal_seats": TableDocs(
        "A seat of every deal that could be dealt, and what it made of it",
        **DEAL_SEAT_COLUMNS,
        points="Of the deal, or the team's marks; NULL where a sheet tells none [points]",
        cards="Points of the cards won, by the team where partners play [points]",
        bonus="Points of announcements, or of the reserve [points]",
        bid="The bid card's place among those of the match by name, from 0 [code]",
        met="The bid was met",
        tricks="Taken by the seat [tricks]",
        brisques="Tens and aces taken [cards]",
        dealt="This seat dealt, or leads first where nobody deals",
        der="Took the last trick, or its team did",
        sept="The trick of the exchange of the 7, from 1; NULL without one [number]",
        won="The deal, or its team did; NULL when nobody won",
        received="Points of all cards that came to hand, dealt and drawn [points]",
        received_cards="How many those were [cards]",
    ),
    "announcements": TableDocs(
        "Every combination that somebody held or announced",
        **DEAL_SEAT_COLUMNS,
        kind="As its game calls it",
        suit=f"{SUIT_DOC}; NULL where the kind has none [suit]",
        trump="It is of the trump suit",
        held="In the hand on one of its player's turns",
        announced="Said",
        shown="Said, and shown",
        counted="Said, and it counted",
        trick="Of the announcement, from 1; NULL when never said [number]",
        lead="Said by the player who led that trick; NULL when never said",
        points="What it counted, 0 where it did not [points]",
        month="First day of the month the match was played in [date]",
        missed="The best of its suit that was held, and nothing of the suit was said",
        worth="What it counts, or would have [points]",
        closed="Said when nothing was left to draw; NULL when never said",
    ),
    "findings": TableDocs(
        "Everything that was found, as `retourne check` tells it",
        **MATCH_COLUMNS,
        finding="In the order of the log, from 0 [number]",
        code="Stable, see docs/findings.md",
        rule="The rule's id, or `format`",
        severity="`error`; `warning`: it stays legal; `note`: it cannot be checked",
        path="JSON pointer into the log",
        deal="In the log, from 0 [number]",
        action="In the deal, from 0 [number]",
        seat="Whose it is, from 1 [seat]",
        found="What stands there, JSON",
        legal="What could have stood there, JSON",
    ),
    "raw": TableDocs(
        "The logs as they came, with the names of masked players too, many in a compressed block; "
        "`retourne export --table raw` has their texts, masked names hidden",
        **MATCH_COLUMNS,
        block="The match whose row has the block [number]",
        start="Where the log begins in the block, in bytes [number]",
        size="Its bytes [number]",
        packed="The block, compressed as zstd; empty in the rows of its other matches",
    ),
    "tricks": TableDocs(
        "`takers` of `deals`, a row a trick",
        **DEAL_COLUMNS,
        trick="From 1 [number]",
        taker="Who took it, from 1 [seat]",
    ),
    "doubled": TableDocs(
        "Score sheets of which the store has the log of the same match, played card by card",
        match_no="The sheet, by its number in `matches` [number]",
        log_no="The log, likewise [number]",
    ),
    "match_deals": TableDocs(
        "How the deals of a match came out, counted beforehand: a row for each that is alike",
        **MATCH_COLUMNS,
        status="Their verdict, as in `deals`",
        void="They do not count",
        told="They are lines of a score sheet",
        dealt="They were dealt, or a sheet tells how they ended",
        deals="So many [deals]",
        decided="Of them won by somebody [deals]",
        drawn="Of them won by nobody; of the others it is not known [deals]",
    ),
    "match_seats": TableDocs(
        "What a seat came to in the deals of a match, void ones left out, counted beforehand. From"
        " `wins` on of deals that somebody won",
        **MATCH_SEAT_COLUMNS,
        status="Verdict of the deals, as in `deals`",
        told="They are lines of a score sheet",
        deals="So many [deals]",
        decided="Of them won by somebody [deals]",
        wins="Of these won by the seat, or its team [deals]",
        pointed="Those whose points are known [deals]",
        points="In all [points]",
        points_squared="Sum of each deal's square [points²]",
        cards="Points of cards won, in all [points]",
        cards_squared="Sum of each deal's square [points²]",
        bonus="Points of announcements, or of the reserve, in all [points]",
        bonus_squared="Sum of each deal's square [points²]",
        contracts="Those with a contract of this seat [deals]",
        made="Of them made [deals]",
        met="Those in which the bid card was met [deals]",
        counted="That counted, in all [announcements]",
        counted_squared="Sum of each deal's square [announcements²]",
    ),
    "match_kinds": TableDocs(
        "Hands of a match that had a kind of announcement, of one player, trump or not, counted"
        " beforehand. Void deals are left out",
        **MATCH_COLUMNS,
        player_no="Whose hands, by the number in `players` [number]",
        status="Verdict of the deals, as in `deals`",
        kind="As its game calls it",
        trump="It is of the trump suit",
        won="The deal; NULL when nobody won",
        held="That held it on one of their turns [hands]",
        announced="That said it [hands]",
        shown="That said and showed it [hands]",
        counted="In which it counted [hands]",
        made="How many were said: a hand may say a kind in two suits [announcements]",
        points="What those that counted did, in all [points]",
        chances="Said, or left unannounced [announcements]",
        missed="Of them left unannounced [announcements]",
        worth="What these would have counted, in all [points]",
    ),
    "deal_values": TableDocs(
        "What the end of a deal was worth (insight.md), reckoned after it was stored. A match of"
        " which no deal is here is not yet reckoned",
        **DEAL_COLUMNS,
        unsolved="Why it is not: `players`, `option`, `partial`, `never`, `irregular`,"
        " `stopped`, `at-once`, `untold`, `game`, `dealt`, `line`; then what follows is NULL."
        " NULL: it is solved",
        begins="The action with which what is solved begins, from 0; where the bid is all"
        " there is, this and what follows are NULL [number]",
        ahead="Points side 1 had more than side 2 there; sides are as `winner` has them"
        " in `deals` [points]",
        margin="Points it still makes more from there on, both playing their best [points]",
        best_winner=f"Who wins then: seat, {TEAM_DOC}; 0 for nobody [seat]",
        turning="The last action before which another would have won with best play than"
        " after it, from 0; NULL: none [number]",
    ),
    "seat_values": TableDocs(
        "What a player lost in the end of a deal that is solved, points against best play; where"
        " cards are bid, by the bid, as the one card laid, against the best card left",
        **DEAL_COLUMNS,
        **SEAT_COLUMNS,
        laid="Laid from there on [cards]",
        forced="Of them, those that alone could be laid [cards]",
        lost="By all of them together, for the player’s side [points]",
        costly="That lost something [cards]",
        dearest="The first action that lost the most, from 0; NULL: none did [number]",
        dearest_lost="What that lost [points]",
    ),
    "said_or_missed": TableDocs(
        "Every announcement that was said or left unannounced, with what its deal and its"
        " match are. Void deals are left out",
        **DEAL_COLUMNS,
        **SEAT_COLUMNS,
        status="Verdict of the deal, as in `deals`",
        kind="As its game calls it",
        trump="It is of the trump suit",
        announced="Said",
        trick="It was said in, from 1; NULL when never said [number]",
        closed="Said when nothing was left to draw; NULL when never said",
        lead="Said by the player who led that trick; NULL when never said",
        points="What it counted, 0 where it did not [points]",
        firsts="Whether it is the first of its hand and kind that was held (1), announced"
        " (2), shown (4), counted (8), in its trick; the same times 16 in its phase, times 256"
        " by who led or not [bits]",
        missed="The best of its suit that was held, and nothing of the suit was said",
        won="The deal; NULL when nobody won",
        outcome="Of one left unannounced by who lost: as in `deals` [code]",
        short="Likewise: how many points the best of the others had more [points]",
        worth="Likewise: what it would have counted [points]",
        game="As in `matches`",
        players="As in `matches` [seats]",
        preset="As in `matches`",
        event="As in `matches`",
        source="As in `matches`",
        day="It was played on, in UTC [date]",
    ),
    "ratings": TableDocs(
        "The ladders (Plackett–Luce): after each legal, finished, dated match what each of its"
        " players is worth. Rated when somebody asks for a ladder",
        **RATING_COLUMNS,
    ),
    "sheet_ratings": TableDocs(
        "The ladders of games and rules that have score sheets, rated with them", **RATING_COLUMNS
    ),
    "trash": TableDocs(
        "Deleted matches, until the trash is emptied",
        change="The deletion, by its number in `changes` [number]",
        match_no="What it was in `matches`, and will be again [number]",
        match_id="Likewise",
        file_no="Likewise [number]",
        line="Likewise [line]",
        **TEXT_COLUMNS,
    ),
    "changes": TableDocs(
        "What was done to the store besides adding files, as far as it changes what pages show",
        change="In the order it was done, from 0 [number]",
        changed_at="When [UTC]",
        what="`delete`, `undelete`, `empty`, `mask`, `unmask`, `purge`, `revalidate`, "
        "`reckon`; `copy`: matches came from another store",
    ),
    "audit": TableDocs(
        "Who did what: numbers, never names",
        done_at="When [UTC]",
        token_no="With which token; NULL: whoever has the file, or needs no token [number]",
        what="As in `changes`; `add`: a file; `backup`; `token`, `revoke`: a token made, or"
        " taken back; `webhook`, `remove-webhook`: a program told of new matches, or no more;"
        " `private`, `public`: who may read",
        about="Number of the file, the change, the token or the webhook [number]",
        n="How many matches, or players [count]",
    ),
    "secret": TableDocs(
        "The key of this store's pseudonyms and of what was purged; made when it is needed",
        key="32 random bytes",
    ),
    "masked": TableDocs(
        "Who the masked players are",
        player_no="The number in `players` [number]",
        player_id="As in the log",
        name="As first read",
    ),
    "purged": TableDocs(
        "What was purged, so that an old link is told that it is gone",
        address="Keyed hash of an id, 64 hexadecimal digits",
    ),
    "tokens": TableDocs(
        "Who may do what on the pages",
        token_no="From 1, never given twice [number]",
        name="Whom or what it was made for",
        role="`reader`, `contributor`, `admin`: each may do what those before it may",
        hash="SHA-256 of the token, which is kept nowhere",
        made_at="When [UTC]",
        expires_at="When it holds no longer; NULL: never [UTC]",
        revoked_at="When it was taken back; NULL: it was not [UTC]",
    ),
    "sessions": TableDocs(
        "Browsers that are signed in",
        hash="SHA-256 of what the browser keeps",
        token_no="The token it signed in by [number]",
        opened_at="When [UTC]",
    ),
    "settings": TableDocs(
        "What the admin has decided for the whole store",
        name="`access`, or `webhook` and a number: a program that is told of new matches",
        value="`private`: only by a token, without a row everybody reads; of a webhook its "
        "address, the secret it is signed with and the files it was told of, JSON",
    ),
    "drafts": TableDocs(
        "Matches that somebody is still typing in",
        hash="SHA-256 of the draft's secret, which is kept nowhere",
        begun_at="When [UTC]",
        changed_at="When last; after 90 days it is dropped [UTC]",
        head="The game, the players, the rules, JSON",
        steps="What was typed, in order, JSON",
        version="Grows with each change [number]",
        device="The page that changed it last",
    ),
    "migrations": TableDocs(
        "Changes of the schema that this store has had",
        number="Of the file under schemas/sql/ [number]",
        name="Its name",
        applied_at="When [UTC]",
    ),
    "baseline.runs": TableDocs(
        "Runs of simulated deals, to compare the store's own with",
        run="From 0; its matches are of the event `run-N` [number]",
        game="The game",
        preset="The rules",
        players="Seats at the table [seats]",
        habit="How all play; NULL: drawn by lot for each match",
        asked="Wanted at least [deals]",
        seed="Of the random numbers: the same gives the same deals [number]",
        deals="Simulated [deals]",
        rules_version="Of the engine's rules they were played by [number]",
        made_at="When [UTC]",
    ),
}
BASELINE_DOCS = {
    "matches": "Simulated matches",
    "players": "Who plays in a run: a name is how somebody plays",
    "seats": "Seats of simulated matches",
    "deals": "Simulated deals, with NULL for `deck`, `actions` and `takers`",
    "deal_seats": "Seats of simulated deals",
    "announcements": "Announcements of simulated deals",
    "match_deals": "How simulated deals came out, counted beforehand",
    "match_seats": "What seats came to in simulated deals, counted beforehand",
    "match_kinds": "Simulated hands that had a kind of announcement, counted beforehand",
    "said_or_missed": "Announcements of simulated deals that were said or left unannounced",
}
"""Tables that `baseline` has too, with the same columns."""
TABLE_DOCS: Mapping[str, TableDocs] = _STORE_DOCS | {
    f"baseline.{table}": TableDocs(
        f"{about}. Columns are as in `{table}`", **_STORE_DOCS[table].columns
    )
    for table, about in BASELINE_DOCS.items()
}
DOCUMENTED_VIEWS = ("tricks", "doubled")


def numbered_row(names: Sequence[str], first: int = 0) -> tuple[str, str]:
    """The row of some names that are numbered one after the other."""
    last = first + len(names) - 1
    numbers = f"{first}" if last == first else f"{first}–{last}"
    return numbers, " ".join(f"`{name}`" for name in names)


def rows_by_kind(words: Mapping[str, int], kind: Callable[[int], str]) -> Rows:
    """A row for each kind of words, and another where a number is left out."""
    numbered = sorted((number, word) for word, number in words.items())
    runs = groupby(enumerate(numbered), lambda one: (kind(one[1][0]), one[1][0] - one[0]))
    found = [[one for _, one in run] for _, run in runs]
    return [numbered_row([word for _, word in run], run[0][0]) for run in found]
