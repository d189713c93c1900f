"""What to do about each code: one sentence, in English; `locale/fr.po` has the French."""

from ingest.i18n import N_

_REVOKE = N_(
    "If the log is right it is a revoke, and the table decides; otherwise correct the card."
)
_KIND = N_("Take an announcement this number of players has, or leave it out.")

ADVICE = {
    # the file and its text
    "empty-file": N_("Write the match into the file, or leave the file out."),
    "cannot-read": N_("Look at the name, the folder and the rights of the file."),
    "not-utf8": N_("Save the text as UTF-8; an old editor may have used another encoding."),
    "not-json": N_(
        "Look at the place for a comma, a quote or a bracket that is missing or too many."
    ),
    "too-long": N_("Write one match a line; a line this long is no match."),
    "too-large": N_(
        "Turn the array into one match a line and name the file .jsonl: it may have any size."
    ),
    "zip-in-zip": N_("Unpack the inner zip and check what is in it."),
    "zip-bomb": N_(
        "Unpack it yourself if you trust where it comes from, and check the files in it."
    ),
    "bad-archive": N_("Fetch or pack the archive again; what came before the damage was read."),
    # the document
    "schema": N_("Give this part the type the format asks for; `retourne schema` prints them all."),
    "format-version": N_('Begin the match with "format": "retourne/1", if it is one.'),
    "unknown-game": N_("Name the game by one of the known words, in small letters."),
    "unknown-rule": N_("Take a preset, an option or a value from `retourne rules`."),
    "players-count": N_("List every player once, in seat order, or correct the game."),
    "player-twice": N_("Give each seat a player id of its own; names may be the same."),
    "unknown-key": N_("Correct the key’s spelling, or begin it with _ if it is your own."),
    "key-twice": N_("Leave one of the two out: programs differ on which one they read."),
    "date-format": N_(
        "Write date, time and zone, such as 2026-03-15T14:00:00+01:00, or leave the key out."
    ),
    "comment-place": N_("Count the actions done before it: 0 for none, at most all of the deal."),
    "times-count": N_("Write one time for each action, or leave the times out."),
    "times-order": N_(
        "Write seconds since the start of the deal; a clock that was set back must be corrected."
    ),
    # the deal as written
    "deck-size": N_("Count the cards: each of the pack stands there once, nothing else."),
    "deck-card": N_("Correct the card: rank then suit, as in Th or 7s."),
    "deck-twice": N_("Put the missing card in place of one of the two."),
    "deal-missing": N_(
        "Tell the deal in one way: the pack in the order it is dealt, or hands and talon."
    ),
    "deal-seat": N_(
        "Name the dealer (in Chouineurs the leader) by a seat of this table, counted from 1."
    ),
    # play
    "after-end": N_("Leave the action out, or begin a new deal with it."),
    "wrong-turn": N_("Correct the seat; or look whether an action before it is missing."),
    "card-not-held": N_(
        "Correct the card or the seat; or look for a slip in the deal or in an earlier draw."
    ),
    "unknown-action": N_(
        "Write the action as docs/format.md has it: the seat, then a word or a card."
    ),
    "no-such-seat": N_("Begin the action with a seat of this table, counted from 1."),
    "must-follow": _REVOKE,
    "must-beat": _REVOKE,
    "must-ruff": _REVOKE,
    "must-overruff": N_(
        "If your club does not ask for it, set overruff to false; otherwise as for a revoke."
    ),
    "sept-not-held": N_("Leave the exchange out, or look for a slip in the deal."),
    "sept-again": N_("Leave the second exchange out."),
    "sept-gone": N_("Leave the exchange out, or move it before the retourne was drawn."),
    "sept-is-retourne": N_("Leave the exchange out: there is nothing to exchange."),
    "sept-no-retourne": N_("Leave the exchange out, or name rules that turn a card up."),
    "sept-turn": N_("Move the exchange to its player’s own turn, before the card played."),
    "au-sept-missing": N_(
        "Nothing has to be mended; add the word if it was said, or set au_sept to ignore."
    ),
    "au-sept-misplaced": N_(
        "Leave the word out: it belongs to the leader with two cards left in the talon."
    ),
    "announce-turn": N_(
        "Move the announcement to the turn of its player, together with the card played."
    ),
    "announce-not-held": N_("Correct the suit or the kind of the announcement, or leave it out."),
    "announce-card": N_(
        "Correct the card played; or allow any card with announce_with set to any."
    ),
    "announce-kind": _KIND,
    "announce-kind-3-4": _KIND,
    "announce-again": N_("Leave the second one out; or allow it with one_per_suit set to false."),
    "announce-one-per-play": N_("Keep one of them with this card; or set one_per_play to false."),
    "draw-card": N_("Correct the card drawn, or look for a slip in the order of the talon."),
    "draw-turn": N_(
        "Put the draws in order: the winner of the trick first, then the others in seat order."
    ),
    "draw-missing": N_(
        "Add the draws that are missing; or leave all draws out, for the talon tells them."
    ),
    "draw-unexpected": N_("Leave the draw out, or move it to the end of its trick."),
    "irregularity-misplaced": N_("Move the irregularity to just after the draw it is about."),
    "decision-missing": N_("Add what the wronged player decided: accept or replay."),
    "decision-misplaced": N_("Leave the decision out, or add the irregularity it answers."),
    # Coinche
    "card-before-contract": N_(
        "Complete the auction: three passes after a bid that is not coinched nor a générale."
    ),
    "must-follow-trump": _REVOKE,
    "must-follow-or-ruff": _REVOKE,
    "under-ruff": _REVOKE,
    "bid-too-low": N_("Correct the bid’s height or the bid before it."),
    "auction-over": N_("Leave the word out, or look for a pass too many before it."),
    "coinche-no-bid": N_("Leave the coinche out, or add the bid that is missing."),
    "coinche-side": N_("Correct the seat: an opponent of the last bidder coinches."),
    "coinche-generale": N_("Leave the coinche out."),
    "coinche-again": N_("Leave the second one out."),
    "coinche-late": N_("Leave it out, or move it before the first card."),
    "surcoinche-no-coinche": N_("Add the coinche that is missing, or leave the surcoinche out."),
    "surcoinche-side": N_("Correct the seat: one of the bidding side surcoinches."),
    "claim-misplaced": N_("Move the claim to its player’s lead, or correct the seat."),
    # Chouineurs
    "wrong-side": N_("Write the face that is up; or look for a turn that was not written down."),
    "bonus-missing": N_("Add what each player who chouined took: a turn of a card, or a point."),
    "turn-undue": N_("Leave the turn out, or correct the seat."),
    "point-undue": N_("Leave the point out, or correct the seat."),
    "reserve-empty": N_("Write a turn of a card instead: the reserve has no card left."),
    "bid-spent": N_("Correct the bid: a card that scored is not bid again."),
    "deck-unknown": N_("Name a deck that is known, or list the 44 cards."),
    "card-syntax": N_("Write both faces with a / between them, colour then value."),
    "face-twice": N_("Correct one of the two: each face is on one card of the deck."),
    "bid-cards": N_(
        "Write five bid cards that tell every number of tricks apart and what each is worth."
    ),
    "hand-size": N_("Count the cards of each hand, and that there is one hand a seat."),
    "hand-card": N_("Correct the card: both its faces as the deck has them."),
    "hand-twice": N_("Correct one of the two: a card was dealt to one hand."),
    "bid-count": N_("Write one bid for each seat."),
    "bid-unknown": N_("Write the bid by the name of one of the five cards."),
    # across deals
    "wrong-leader": N_("Correct the leader; or look for a slip in the points of the deals before."),
    "wrong-dealer": N_("Correct the dealer, or add the deal that is missing before this one."),
    "deal-after-match": N_(
        "Leave the deal out, begin a new match with it, or correct how many parties a match has."
    ),
    "points-differ": N_(
        "Correct the points; or, if the sheet is right, look for a slip in the play."
    ),
    "winner-differs": N_(
        "Correct the winner; or, if the sheet is right, look for a slip in the play."
    ),
    "manche-differs": N_("Correct the number of the manche, or look for a partie that is missing."),
    "score-differs": N_("Correct the score; or look for the first partie whose winner differs."),
    "result-differs": N_(
        "Correct the winner of the match; or look for the first partie whose winner differs."
    ),
    "incomplete": N_("Add what is missing of the play; or mark the deal as void, with its reason."),
    "not-checkable": N_("Nothing has to be mended; write down more cards if somebody knows them."),
    "cut-undecided": N_("Add the next attempt of the cut."),
    "cut-repeated": N_("Leave the attempts out that come after the one that decided."),
    "cut-cards": N_("Write one card for each seat, all different."),
}
