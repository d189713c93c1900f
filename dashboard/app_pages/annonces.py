"""How often each announcement comes, in trump and plain; of Coinche, each contract."""

import streamlit as st

from dashboard import choose
from dashboard.figures import announcements as announced
from dashboard.figures import contracts as bid
from dashboard.i18n import texts
from dashboard.queries import announcements, contracts, scope
from dashboard.resources import cursor
from dashboard.show import count_of
from dashboard.tables import announcements_table, contracts_table

t = texts()
ask = cursor()
which = choose.scope(t, games=("chouine", "coinche"))
if which is None:
    st.info(t("Nothing to count yet. Add a file of games first."), icon=":material/inbox:")
    st.page_link("app_pages/deposer.py", label=t("Add games"))
    st.stop()

deals, out = (count_of(number, t) for number in scope.deals(ask, which))
if which.game == "coinche":
    frame = contracts.contracts(ask, which)
    said = t("The last bid of {deals} legal deals; left out: {out}.", deals=deals, out=out)
    figure, table, alt = bid.made, contracts_table, t("Share of contracts made, by height")
else:
    frame = announcements.frequencies(ask, which)
    said = t(
        "Per hand played, that is one player in one deal: {n} hands in {deals} legal deals; "
        "left out: {out}.",
        n=count_of(frame["n"][0] if frame.height else 0, t),
        deals=deals,
        out=out,
    )
    figure, table, alt = (
        announced.frequencies,
        announcements_table,
        t("Frequency of each announcement"),
    )
if not frame.height:
    st.info(t("No announcement in these deals."), icon=":material/search_off:")
    st.stop()
st.caption(said)
st.plotly_chart(figure(frame, t), alt=alt)
table(frame, t)
