"""How often each announcement comes, in trump and plain."""

import streamlit as st

from dashboard.figures import announcements as figures
from dashboard.i18n import texts
from dashboard.queries import announcements, matches
from dashboard.resources import cursor
from dashboard.show import announcements_table, count_of

t = texts()
ask = cursor()
sizes = announcements.tables(ask)
if not sizes:
    st.info(t("Nothing to count yet. Add a file of games first."), icon=":material/inbox:")
    st.page_link("app_pages/deposer.py", label=t("Add games"))
    st.stop()

with st.container(horizontal=True):
    size = sizes[0]
    if len(sizes) > 1:
        size = st.selectbox(
            t("Players at the table"), sizes, key="table", bind="query-params", width=220
        )
    preset = st.selectbox(
        t("Rules"),
        matches.presets(ask),
        index=None,
        placeholder=t("Any rules"),
        key="ruleset",
        bind="query-params",
        width=260,
    )

frame = announcements.frequencies(ask, size, preset)
counted, out = announcements.deals(ask, size, preset)
if not frame.height:
    st.info(t("No announcement in these deals."), icon=":material/search_off:")
    st.stop()
st.caption(
    t(
        "Per hand played, that is one player in one deal: {n} hands in {deals} legal deals; "
        "left out: {out}.",
        n=count_of(frame["n"][0], t),
        deals=count_of(counted, t),
        out=count_of(out, t),
    )
)
st.plotly_chart(figures.frequencies(frame, t), alt=t("Frequency of each announcement"))
announcements_table(frame, t)
