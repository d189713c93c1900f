"""The sentence for each code, in English; `locale/fr.po` has the French."""

from typing import TYPE_CHECKING, Any

from ingest.finding.words import speak_seat, speak_value, speak_winner
from ingest.i18n import N_, Translate
from ingest.text.problems import reason

if TYPE_CHECKING:
    from ingest.finding.finding import Finding

SENTENCES = {
    # the file and its text
    "empty-file": N_("The file is empty: there is no match in it."),
    "cannot-read": N_("The file cannot be read: {problem}."),
    "not-utf8": N_("The text is not UTF-8: byte {found} cannot be read. Save the file as UTF-8."),
    "not-json": N_("This is not JSON: {problem}."),
    "too-long": N_("The line is longer than {legal} MB: no match is. It was left unread."),
    "too-large": N_(
        "The file is larger than {legal} MB in one piece. Write one match a line (.jsonl)."
    ),
    "zip-in-zip": N_("A zip inside a zip is not opened. Unpack it first."),
    "zip-bomb": N_(
        "The archive would unpack to far more than it holds ({found}). It was left closed."
    ),
    "bad-archive": N_("The archive cannot be opened whole: {problem}."),
    # the document
    "schema": N_("{where} {problem}."),
    "format-version": N_("The format is {found}; this program reads {legal}."),
    "unknown-game": N_("The game {found} is not known. Known: {legal}."),
    "unknown-rule": N_("The rules say {found} for {what}. Known: {legal}."),
    "players-count": N_("This game takes {legal} players; the log has {found}."),
    "player-twice": N_("Two seats have the same player id {found}."),
    "unknown-key": N_("The key {found} is not part of the format; it is kept and not read."),
    "key-twice": N_("The key {found} stands here twice; only the last one is read."),
    "date-format": N_("{found} is not a date and time as RFC 3339 writes it, for example {legal}."),
    "comment-place": N_("The comment stands after action {found}; the deal has {legal}."),
    "times-count": N_("There are {found} times for {legal} actions."),
    "times-order": N_("Time {found} comes before {legal}: times never go back."),
    # the deal as written
    "deck-size": N_("There are {found} where {legal} belong."),
    "deck-card": N_("{found} is not a card of this pack."),
    "deck-twice": N_("The {found} is there twice. Missing: {legal}."),
    "deal-missing": N_("A deal is told by one of these alone: {legal}. Here: {found}."),
    "deal-seat": N_("There is no seat {found} to deal from. Seats: {legal}."),
    # play
    "after-end": N_("{who}: {found} comes after the end of the partie."),
    "wrong-turn": N_("{who}: {found}, but it is not their turn. Possible: {legal}."),
    "card-not-held": N_("{who} plays {found} without holding it. In hand: {hand}."),
    "unknown-action": N_("Nobody knows the action {found}."),
    "no-such-seat": N_("{found}: there is no such seat at this table."),
    "must-follow": N_("{who} plays {found} but can follow suit and must. Legal: {legal}."),
    "must-beat": N_("{who} plays {found} but can play a higher trump and must. Legal: {legal}."),
    "must-ruff": N_("{who} plays {found} but can ruff and must. Legal: {legal}."),
    "must-overruff": N_("{who} plays {found} but can overruff and must. Legal: {legal}."),
    "sept-not-held": N_("{who} exchanges the 7 of trump without holding it."),
    "sept-again": N_("{who} exchanges the 7 of trump a second time."),
    "sept-gone": N_("{who} exchanges the 7 of trump when the retourne has left the talon."),
    "sept-is-retourne": N_("{who} exchanges the 7 of trump, but the retourne is that 7."),
    "sept-no-retourne": N_("{who} exchanges the 7, but this game has no retourne."),
    "sept-turn": N_("{who} exchanges the 7 of trump out of turn."),
    "au-sept-missing": N_(
        "{who} leads with two cards left in the talon and does not say “au sept”."
    ),
    "au-sept-misplaced": N_("{who} says “au sept” when it is not the time."),
    "announce-turn": N_("{who} announces {found} out of turn: it counts nothing."),
    "announce-not-held": N_(
        "{who} announces {found} without all its cards. In hand: {hand}. It counts nothing."
    ),
    "announce-card": N_("{who}: {found}. A card of the announcement must be played with it."),
    "announce-kind": N_("{who} announces {found}: two players have no such announcement."),
    "announce-kind-3-4": N_(
        "{who} announces {found}: three or four players have no such announcement."
    ),
    "announce-again": N_(
        "{who} announces {found} after another one of that suit or kind: it counts nothing."
    ),
    "announce-one-per-play": N_(
        "{who} announces {found}: only one announcement goes with a card here."
    ),
    "draw-card": N_("{who}: {found}, but the talon gives {legal}."),
    "draw-turn": N_("{who}: {found} before their turn to draw."),
    "draw-missing": N_("{who}: {found} before every player has drawn."),
    "draw-unexpected": N_("{who}: {found} when there is nothing to draw."),
    "irregularity-misplaced": N_("{who}: {found} when nobody has just drawn."),
    "decision-missing": N_("{who}: {found} before the wronged player has decided."),
    "decision-misplaced": N_("{who}: {found} where there is nothing for them to decide."),
    # Coinche
    "card-before-contract": N_("{who} plays {found} before there is a contract."),
    "must-follow-trump": N_("{who} plays {found} but has to follow in trump. Legal: {legal}."),
    "must-follow-or-ruff": N_(
        "{who} plays {found} but must follow suit or ruff higher. Legal: {legal}."
    ),
    "under-ruff": N_("{who} ruffs with {found}, lower than a trump already there. Legal: {legal}."),
    "bid-too-low": N_("{who}: {found} is not higher than the last bid. Possible: {legal}."),
    "auction-over": N_("{who}: {found} when the auction is over. It counts nothing."),
    "coinche-no-bid": N_("{who} coinches when there is no bid. It counts nothing."),
    "coinche-side": N_("{who} coinches a bid of their own side. It counts nothing."),
    "coinche-generale": N_("{who} coinches a générale, which cannot be. It counts nothing."),
    "coinche-again": N_("{who}: {found} when it was said already. It counts nothing."),
    "coinche-late": N_("{who}: {found} after the first card. It counts nothing."),
    "surcoinche-no-coinche": N_("{who} surcoinches when nobody coinched. It counts nothing."),
    "surcoinche-side": N_("{who} surcoinches for the other side. It counts nothing."),
    "claim-misplaced": N_("{who} lays down the hand without being on lead. It counts nothing."),
    # Chouineurs
    "wrong-side": N_("{who}: {found}, but the card shows its other face."),
    "bonus-missing": N_("{who}: {found} before those who chouine have had their bonus."),
    "turn-undue": N_("{who}: {found} without having chouiné."),
    "point-undue": N_("{who} takes a point without having chouiné."),
    "reserve-empty": N_("{who} takes a card from an empty reserve."),
    "bid-spent": N_("{who} bids {found} again: that card has left the game. Left: {legal}."),
    "deck-unknown": N_("The deck {found} is not known. Give its 44 cards, or one of: {legal}."),
    "card-syntax": N_("{found} is not a two-faced card such as {legal}."),
    "face-twice": N_("The face {found} is there twice: it is on card {legal} already."),
    "bid-cards": N_("{found} cannot be in a set of five bid cards."),
    "hand-size": N_("There are {found} where {legal} belong."),
    "hand-card": N_("{found} is not a card of this deck."),
    "hand-twice": N_("The card {found} was dealt twice."),
    "bid-count": N_("There are {found} bids for {legal} players."),
    "bid-unknown": N_("{found} is not one of the bid cards: {legal}."),
    # across deals
    "wrong-leader": N_("{found} leads, but it is {legal} who should."),
    "wrong-dealer": N_(
        "{found} deals, but it is {legal} who should, unless a deal before is missing."
    ),
    "deal-after-match": N_("This partie is played after the end of the match."),
    "points-differ": N_("The sheet says {found}; played as logged, the deal makes {legal}."),
    "winner-differs": N_("The sheet gives the partie to {found}; it goes to {legal}."),
    "manche-differs": N_("The sheet says manche {found}; it is manche {legal}."),
    "score-differs": N_("The sheet gives the score {found}; the parties make {legal}."),
    "result-differs": N_("The sheet gives the match to {found}; it goes to {legal}."),
    "incomplete": N_("The partie stops before its end."),
    "not-checkable": N_("Not checkable: {problem}"),
    "cut-undecided": N_("The cut {found} leaves the deal undecided: the lowest card is shared."),
    "cut-repeated": N_("The cut {found} had already decided the deal."),
    "cut-cards": N_("The cut {found} is not one different card for each seat."),
}

NOTHING = {
    "format-version": N_("The match does not say its format; this program reads {legal}."),
    "unknown-game": N_("The match does not say its game. Known: {legal}."),
    "deck-card": N_("A card is missing here, or a space is too many."),
    "unknown-action": N_("An action is empty."),
}
"""Sentences of codes where nothing was found at all."""
OPEN = {
    "winner-differs": N_("The sheet gives the partie to {found}."),
    "result-differs": N_("The sheet gives the match to {found}."),
}
"""Sentences of what goes to a seat that is not there, and to nobody that could be named."""
ENCODING = N_("The text is {found}, not UTF-8. Save the file as UTF-8.")
TURN = N_("{who}: {found}, but it is not their turn: it is that of {turn}. Possible: {legal}.")
TURN_ALONE = N_("{who}: {found}, but it is not their turn: it is that of {turn}.")
"""Where cards were not written down; alone, where nobody can say which ones could be played."""
SUCH_AS = N_("{where} {problem}, such as {legal}.")
MEANT = N_("The key {found} is not part of the format; it is kept and not read. Is {legal} meant?")

FIRST = N_("The first deal whose sheet differs: {place}.")


NAMED = ("wrong-dealer", "wrong-leader", "winner-differs", "result-differs")
"""Codes whose `found` and `legal` are seats, or the sides that win."""
OF_FILES = ("cannot-read", "bad-archive")
"""Codes whose `found` is what a library or the system said."""
PLAIN = frozenset(SENTENCES) - {
    code
    for code in SENTENCES
    if code.startswith(
        (
            *("deck-card", "deck-twice", "draw-", "must-", "sept-", "au-sept", "announce-", "cut-"),
            *("card-not", "card-before", "wrong-turn", "under-", "bid-too", "auction-"),
            *("coinche-", "surcoinche-", "claim-", "wrong-side", "bonus-", "turn-", "point-"),
        )
    )
    or code
    in (
        "not-checkable",
        "after-end",
        "irregularity-misplaced",
        "decision-missing",
        "decision-misplaced",
    )
}
"""Codes whose `found` is any text of the log: it is never taken for a card."""


def _sentence(finding: "Finding") -> str:
    """The sentence of a finding's code, or a plainer one where the finding allows it."""
    code, found = finding.code, finding.found
    if found in (None, "") and code in NOTHING:
        return NOTHING[code]
    if finding.detail.get("open"):
        return OPEN[code]
    if code == "not-utf8" and isinstance(found, str):
        return ENCODING
    if finding.detail.get("turn"):
        return TURN if finding.legal else TURN_ALONE
    if finding.legal is not None and code in ("schema", "unknown-key"):
        return SUCH_AS if code == "schema" else MEANT
    return SENTENCES[code]


def say(t: Translate, finding: "Finding") -> str:
    """The finding's sentence in the language of `t`."""
    detail = finding.detail
    names = detail.get("names", [])
    spoken = finding.code not in PLAIN
    values: dict[str, Any] = {"who": speak_seat(t, finding.seat, names)}
    legal = finding.legal
    if finding.code == "draw-card":
        legal = [word.split(" ")[-1] for word in legal]  # the card alone
    for key, value in (("found", finding.found), ("legal", legal)):
        if finding.code in NAMED and "differs" in finding.code:
            values[key] = speak_winner(t, value, detail)
        elif finding.code in NAMED:
            values[key] = speak_seat(t, value, names)
        else:
            values[key] = speak_value(t, value, spoken)
    if finding.code == "not-checkable" and finding.path.endswith("/winner"):
        values["found"] = speak_winner(t, finding.found, detail)
    values["hand"] = speak_value(t, finding.hand, True)
    values["turn"] = speak_seat(t, detail.get("turn"), names)
    values["what"] = values["where"] = detail.get("where", "")
    if problem := detail.get("problem"):
        values["problem"] = t(problem, **(values | detail.get("values", {})))
    if finding.code in OF_FILES:
        values["problem"] = reason(t, finding.found)
    said = t(_sentence(finding), **values)
    if first := detail.get("first"):
        said += " " + t(FIRST, place=speak_place(t, first))
    return said


PLACES = (
    ("manche", N_("manche {n}")),
    ("partie", N_("partie {n}")),
    ("deal", N_("deal {n}")),
    ("trick", N_("trick {n}")),
    ("card", N_("card {n}")),
)


AUCTION = N_("auction")


def speak_place(t: Translate, finding: "Finding") -> str:
    """Where in the match a finding is, in words; the deal where no partie is counted.

    A null or replayed partie takes more than one deal: the deal is then told too.
    """
    parts = []
    for name, sentence in PLACES:
        n = getattr(finding, name)
        if n is None:
            continue
        if name == "deal":
            n += 1
            if finding.partie == n and finding.manche in (1, None):
                continue
        parts.append(t(sentence, n=n))
    if finding.detail.get("auction"):
        parts.append(t(AUCTION))
    return ", ".join(parts)
