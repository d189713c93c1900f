"""Whether the shuffle of each source of logs is fair: the tests, the verdict, the decks again."""

import streamlit as st

from dashboard.games import about
from dashboard.queries import fairness
from dashboard.views import fairness as views
from dashboard.widgets import filters
from dashboard.widgets.browser import texts
from dashboard.widgets.linked import nothing_yet
from dashboard.widgets.store import answer

t = texts()
which = filters.scope(t, games=fairness.games(), every=True)
if which is None:
    nothing_yet(t("No pack to test yet. Add a file of games first."), ":material/inbox:", t)

st.markdown(
    t(
        "For each source, the cards dealt are compared with what an honest shuffle would give. "
        "Deals that were void or faulty count: their cards were dealt all the same."
    ),
    help=about("shuffle", t),
)
frame = answer(fairness.tests, which)
if frame.height:
    views.verdict(frame, t)
    views.tests_table(which, frame, t)
else:
    st.info(
        t(
            "No source has {n} deals of that game and table whose cards are all known.",
            n=fairness.ENOUGH,
        ),
        icon=":material/hourglass_empty:",
    )
views.untested(which, t)
st.info(
    t(
        "What this does not mean: no alarm is no proof that a shuffle is fair, "
        "the tests see only some ways of being unfair, and few deals show "
        "little. An alarm does not say that anybody cheated: cards typed in by "
        "hand, hands dealt to practise, or matches chosen because they were "
        "odd raise it too. And a fair shuffle does not give everybody the same "
        "cards."
    ),
    icon=":material/info:",
)
again = answer(fairness.repeated, which)
if again.height:
    views.repeated(again, t)
