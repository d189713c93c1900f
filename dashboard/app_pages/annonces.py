"""How often each announcement comes, in trump and plain; where a game has bids, each contract."""

from dashboard.games import with_sections
from dashboard.tables.profile import has_section
from dashboard.views.announcements import announcements_page, contracts_page
from dashboard.widgets import filters
from dashboard.widgets.browser import texts
from dashboard.widgets.linked import nothing_yet

t = texts()
which = filters.scope(t, games=with_sections("announcements", "contracts"))
if which is None:
    nothing_yet(t("Nothing to count yet. Add a file of games first."), ":material/inbox:", t)
if has_section("announcements", which.game):
    announcements_page(which, t)
else:
    contracts_page(which, t)
