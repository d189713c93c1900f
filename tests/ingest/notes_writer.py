"""Writes logs as notes, so that tests can read them back."""

from collections.abc import Mapping
from typing import Any

from engine.cards import SYMBOLS
from engine.games import game, game_title

FRENCH = {"T": "10", "K": "R", "Q": "D", "J": "V"}
ENGLISH = {"T": "10"}
LETTERS = {"s": "s", "h": "h", "d": "d", "c": "c"}
FRENCH_LETTERS = {"s": "p", "h": "co", "d": "ca", "c": "t"}
LABELS = {
    "fr": {
        **{"game": "Jeu", "rules": "Règles", "id": "Rencontre", "played_at": "Date"},
        **{"players": "Joueurs", "deck": "Jeu de cartes", "dealer": "Donneur"},
        **{"leader": "Entame", "hand": "Main de {}", "bids": "Paris", "winner": "Gagnant"},
    },
    "en": {
        **{"game": "Game", "rules": "Rules", "id": "Match", "played_at": "Date"},
        **{"players": "Players", "deck": "Deck", "dealer": "Dealer"},
        **{"leader": "Leader", "hand": "{}’s hand", "bids": "Bids", "winner": "Winner"},
    },
}
SPOKEN = {"pass": "passe", "draw ": "pioche ", "turn ": "tourne ", "bid ": "", "take ": "prend "}


class Writer:
    """Writes matches as notes in one language; `signs`: suits as signs, else as letters."""

    def __init__(self, language: str, signs: bool, by_player: bool) -> None:
        self.language, self.by_player = language, by_player
        self.labels = LABELS[language]
        self.ranks = FRENCH if language == "fr" else ENGLISH
        letters = FRENCH_LETTERS if language == "fr" else LETTERS
        self.suits: Mapping[str, str] = SYMBOLS if signs else letters

    def match(self, log: dict[str, Any]) -> str:
        """A whole match."""
        names = [one["name"] for one in log["players"]]
        players = ", ".join(f"{one['name']} (id: {one['id']})" for one in log["players"])
        head = {"game": game_title(log["game"]), "players": players}
        head |= {
            key: log[key] for key in ("rules", "id", "played_at", "deck") if isinstance(log.get(key), str)
        }
        items = [f"{self.labels[key]} : {value}" for key, value in head.items()]
        deals = [self.deal(log["game"], deal, names) for deal in log["deals"]]
        return "\n\n".join(["\n".join(items), *deals]) + "\n"

    def deal(self, name: str, deal: dict[str, Any], names: list[str]) -> str:
        """One paragraph."""
        opens = "leader" if "leader" in deal else "dealer"
        lines = [f"{self.labels[opens]} : {names[deal[opens] - 1]}"]
        for seat, hand in enumerate(deal.get("hands", ())):
            cards = " ".join(self.card(name, card) for card in hand.split())
            lines.append(f"{self.labels['hand'].format(names[seat])} : {cards}")
        if "talon" in deal:
            cards = " ".join(self.card(name, card) for card in deal["talon"].split())
            lines.append(f"Talon : {cards}")
        if "bids" in deal:
            lines.append(f"{self.labels['bids']} : {', '.join(deal['bids'])}")
        lines += self.acts(name, deal["actions"], names)
        if "points" in deal:
            lines.append("Points : " + " ".join(map(str, deal["points"])))
        if "winner" in deal:
            who = names[deal["winner"] - 1] if deal["winner"] else "0"
            lines.append(f"{self.labels['winner']} : {who}")
        return "\n".join(lines)

    def acts(self, name: str, actions: list[str], names: list[str]) -> list[str]:
        """A line each player, or all in order behind names."""
        items = [(names[int(one[0]) - 1], self.word(name, one[2:])) for one in actions]
        if not self.by_player:
            pieces = [f"{who} {word}" for who, word in items]
            return [", ".join(pieces[at : at + 8]) for at in range(0, len(pieces), 8)]
        own = {who: [word for other, word in items if other == who] for who in names}
        return [f"{who} : {', '.join(words)}" for who, words in own.items() if words]

    def card(self, name: str, card: str) -> str:
        """A card with the letters of the language."""
        if not game(name).pack.names or card == "??":
            return card
        return self.ranks.get(card[0], card[0]) + self.suits[card[1]]

    def word(self, name: str, word: str) -> str:
        """An act as it is spoken."""
        head, _, card = word.rpartition(" ")
        kind, _, top = word.partition("-")
        if top in game(name).pack.code_entries:
            head, card = kind, top
        if card in game(name).pack.code_entries:
            word = f"{head} {self.card(name, card)}".strip()
        elif game(name).pack.names and word[-2:-1] in ("-", "0", " ") and word[-1] in SYMBOLS:
            word = word[:-1].rstrip("- ") + ("" if word[-2] == "0" else " ") + self.suits[word[-1]]
        if self.language == "fr":
            for format_word, result in SPOKEN.items():
                if word.startswith(format_word):
                    return result + word[len(format_word) :]
        return word
