"""The questions as functions, which ask the asof command."""

# Generated from the table of questions by scripts/python-client.mjs.

from .client import Asof

_asof = Asof()

ping = _asof.ping
series_search = _asof.series_search
series_show = _asof.series_show
observations = _asof.observations
revisions = _asof.revisions
vintages = _asof.vintages
curve = _asof.curve
calendar = _asof.calendar
due = _asof.due
next_release = _asof.next_release
yields = _asof.yields
spread = _asof.spread
insider_filings = _asof.insider_filings
insider_clusters = _asof.insider_clusters
insider_cluster_explanations = _asof.insider_cluster_explanations
insider_cluster_signals = _asof.insider_cluster_signals
next_releases = _asof.next_releases
yield_table = _asof.yield_table
diff = _asof.diff
versions = _asof.versions
panel = _asof.panel
join = _asof.join
check = _asof.check

__all__ = [
    "ping", "series_search", "series_show", "observations", "revisions", "vintages", "curve", "calendar", "due",
    "next_release", "yields", "spread", "insider_filings", "insider_clusters", "insider_cluster_explanations",
    "insider_cluster_signals", "next_releases", "yield_table", "diff", "versions", "panel", "join", "check",
]
