"""Lists the pages in sidebar order, with their addresses and views."""

from typing import NamedTuple

from ingest.i18n import N_

PRODUCT_NAME = "Retourne"


class Page(NamedTuple):
    """One page: its address, its title, a Material icon, and its help text."""

    name: str
    title: str
    icon: str
    help: str
    admin: bool = False
    """Whether only the admin of a store sees it in the menu."""


HOME = Page("accueil", N_("Home"), "home", N_("The store at a glance."))

SECTIONS: dict[str, tuple[Page, ...]] = {
    "": (HOME,),
    N_("Logs"): (
        Page("deposer", N_("Add matches"), "upload_file", N_("Check files and add their matches.")),
        Page("saisir", N_("Type a match in"), "edit_note", N_("Card by card, as it is played.")),
        Page("rencontres", N_("Matches"), "table_rows", N_("Find a match and open its replay.")),
        Page("chercher", N_("Find deals"), "search", N_("Find deals by cards, bids, plays and results.")),
        Page("relecture", N_("Replay"), "replay", N_("Step through a deal, card by card.")),
        Page("verificateur", N_("Validator"), "rule", N_("Each finding: the place in the log and the rule.")),
    ),
    N_("Statistics"): (
        Page("joueurs", N_("Players"), "groups", N_("Matches, wins and averages by player.")),
        Page(
            "doublons",
            N_("Duplicates"),
            "group_add",
            N_("Players who may be one person under two names, or two people under one name."),
            admin=True,
        ),
        Page("face_a_face", N_("Head to head"), "swords", N_("Two players face to face.")),
        Page(
            "cote_a_cote", N_("Side by side"), "compare_arrows", N_("Two to four players, figure by figure.")
        ),
        Page("annonces", N_("Announcements"), "campaign", N_("How often each announcement comes.")),
        Page("melange", N_("Shuffles"), "shuffle", N_("Whether each source’s shuffle is fair.")),
        Page(
            "classement", N_("Ladder"), "leaderboard", N_("The best players, and how certain each rating is.")
        ),
    ),
    N_("Reference"): (
        Page("regles", N_("Rules"), "menu_book", N_("Every rule by number, and every term.")),
        Page("donnees", N_("Data"), "database", N_("Export, delete and undo, mask players, make a backup.")),
        Page(
            "acces",
            N_("Access"),
            "shield_person",
            N_("Access rights, activity, trash and backups."),
            admin=True,
        ),
    ),
}
"""Section → its pages; the first section has no heading."""
SUBJECT_PAGES = ("joueurs", "face_a_face")
"""Pages whose heading is the player or the players of the address."""

PAGE_NAMES = tuple(page.name for pages in SECTIONS.values() for page in pages)
RENAMED_PAGES = {"parties": "rencontres", "tirage": "melange"}
"""Former address → address."""

PAGE_FUNCTIONS = {
    "accueil": "home.page",
    "deposer": "upload.page",
    "saisir": "entry.page.page",
    "rencontres": "match_pages.matches_page",
    "chercher": "find.page",
    "relecture": "match_pages.page",
    "verificateur": "validator.verdict.page",
    "joueurs": "players.page",
    "face_a_face": "head_to_head.page",
    "cote_a_cote": "comparison.page",
    "annonces": "announcements.page",
    "melange": "shuffles.page",
    "classement": "players.ladder_page",
    "regles": "rules.page",
    "donnees": "data.page",
    "doublons": "player_duplicates.page",
    "acces": "access.page",
}
"""Address → function under `views/` that shows the page; its argument is the translator."""
