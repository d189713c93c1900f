"""How often each announcement comes, in trump and plain; of Coinche, each contract."""

import streamlit as st

from dashboard.queries import contracts, left_out, scope
from dashboard.tables.profile import reasons
from dashboard.text.numbers import count_of
from dashboard.views import announcements as announced
from dashboard.widgets import filters as choose
from dashboard.widgets.figures import contracts_drawn, contracts_table
from dashboard.widgets.language import texts
from dashboard.widgets.metrics import leaves_out
from dashboard.widgets.store import answer

t = texts()
which = choose.scope(t, games=("chouine", "coinche"))
if which is None:
    st.info(t("Nothing to count yet. Add a file of games first."), icon=":material/inbox:")
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))
    st.stop()
if which.game == "chouine":
    announced.show(which, t)
    st.stop()

frame = answer(contracts.contracts, which)
if not frame.height:
    st.info(t("No contract in these deals."), icon=":material/search_off:")
    st.stop()
deals, _ = answer(scope.deals, which)
out = reasons(answer(left_out.reasons, which), t)
st.caption(
    t(
        "The last bid of each deal; deals that count: {deals}; left out: {out}.",
        deals=count_of(deals, t),
        out=out,
    )
)
leaves_out(which, t)
contracts_drawn(which, frame, t)
contracts_table(which, frame, t)
