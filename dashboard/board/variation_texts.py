"""Labels of the panel in which a reader plays a variation, for the server's page and for HTML files."""

from ingest.i18n import N_, Translate

YOUR_LINE_LABEL, AS_PLAYED_LABEL = N_("Your line"), N_("The deal as played")
VARIATION_TEXTS = {
    "you-play": N_("You play"),
    "everybody": N_("everybody"),
    "open": N_("All hands open"),
    "acts": N_("Your rights"),
    "more": N_("More actions"),
    "on": N_("Let the others go on"),
    "undo": N_("Take it back (U)"),
    "from-here": N_("Play on from this position"),
    "to-line": N_("Back to your line"),
    "over": N_("The deal is over."),
    "wait": N_("One moment …"),
    "failed": N_("No answer came: try again."),
    "line": N_("Line of play"),
    "points": N_("Points"),
    "end": N_("At the end"),
    "your-line": YOUR_LINE_LABEL,
    "as-played": AS_PLAYED_LABEL,
}


def variation_texts(t: Translate) -> dict[str, str]:
    """Return these texts in one language."""
    return {key: t(text) for key, text in VARIATION_TEXTS.items()}
