"""What a service answers: the path of each question, its parameters, and the codes of its failures."""

# Generated from the table of questions by scripts/python-client.mjs.

from __future__ import annotations

from typing import Dict, FrozenSet, Mapping, NamedTuple


class Endpoint(NamedTuple):
    """A question of a service."""

    path: str
    #: The name over HTTP of each parameter.
    params: Mapping[str, str]
    #: The parameters that take numbers, and no texts.
    numbers: FrozenSet[str]
    #: The parameters that take several values.
    lists: FrozenSet[str]


#: The exit code of the command for each kind of failure.
CODES: Dict[str, int] = {
    "validation-error": 2,
    "bad-input": 2,
    "not-found": 3,
    "unauthorized": 4,
    "plan-upgrade-required": 5,
    "rate-limit-exceeded": 6,
    "unreachable": 7,
    "no-rows": 9,
    "inexact": 9,
    "too-old": 9,
    "local-io": 10,
    "interrupted": 130,
}

#: The parameters that take a time, and not only a day.
TIMES = frozenset(["known_at", "days"])

ENDPOINTS: Dict[str, Endpoint] = {
    "ping": Endpoint(
        "/v1/ping",
        {},
        numbers=frozenset(),
        lists=frozenset(),
    ),
    "series_search": Endpoint(
        "/v1/series",
        {"text": "q", "match": "match", "limit": "limit", "cursor": "cursor"},
        numbers=frozenset({"limit"}),
        lists=frozenset(),
    ),
    "series_show": Endpoint(
        "/v1/series/{id}",
        {"id": "id"},
        numbers=frozenset(),
        lists=frozenset(),
    ),
    "observations_of_several": Endpoint(
        "/v1/observations",
        {"ids": "ids", "as_of": "as_of", "known_at": "known_at", "release": "release", "from": "from", "to": "to",
         "sort": "sort", "units": "units", "digits": "digits", "frequency": "frequency", "aggregate": "aggregate",
         "partial": "partial", "skip_missing": "skip_missing", "limit": "limit", "first": "first",
         "cursor": "cursor", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"digits", "limit", "first", "max_age"}),
        lists=frozenset({"ids"}),
    ),
    "revisions": Endpoint(
        "/v1/series/{id}/revisions",
        {"id": "id", "date": "date", "from": "from", "to": "to", "as_of": "as_of", "release": "release",
         "after": "after", "wide": "wide", "stats": "stats", "summary": "summary", "units": "units",
         "digits": "digits", "limit": "limit", "cursor": "cursor", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"after", "digits", "limit", "max_age"}),
        lists=frozenset({"release", "after"}),
    ),
    "vintages": Endpoint(
        "/v1/series/{id}/vintages",
        {"id": "id", "from": "from", "to": "to", "as_of": "as_of", "limit": "limit", "first": "first",
         "cursor": "cursor", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"limit", "first", "max_age"}),
        lists=frozenset(),
    ),
    "curve": Endpoint(
        "/v1/treasury/yields/curve",
        {"date": "date", "curve_type": "curve_type", "on_or_before": "on_or_before", "vs": "vs", "exact": "exact",
         "max_age": "max_age"},
        numbers=frozenset({"max_age"}),
        lists=frozenset(),
    ),
    "calendar": Endpoint(
        "/v1/calendar",
        {"from": "from", "to": "to", "release": "release", "series": "series", "as_of": "as_of", "limit": "limit",
         "cursor": "cursor"},
        numbers=frozenset({"limit"}),
        lists=frozenset(),
    ),
    "due": Endpoint(
        "/v1/calendar/due",
        {"every": "every"},
        numbers=frozenset(),
        lists=frozenset(),
    ),
    "next_release": Endpoint(
        "/v1/series/{id}/next",
        {"id": "id", "as_of": "as_of"},
        numbers=frozenset(),
        lists=frozenset(),
    ),
    "yields": Endpoint(
        "/v1/treasury/yields",
        {"maturity": "maturity", "curve_type": "curve_type", "from": "from", "to": "to", "limit": "limit",
         "first": "first", "cursor": "cursor", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"limit", "first", "max_age"}),
        lists=frozenset(),
    ),
    "spread": Endpoint(
        "/v1/treasury/yields/spread",
        {"long": "long", "short": "short", "curve_type": "curve_type", "from": "from", "to": "to", "limit": "limit",
         "first": "first", "cursor": "cursor", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"limit", "first", "max_age"}),
        lists=frozenset(),
    ),
    "insider_filings": Endpoint(
        "/v1/insider/filings",
        {"ticker": "ticker", "owner_name": "owner_name", "days": "days", "from": "from", "to": "to",
         "transaction_code": "transaction_code", "as_of": "as_of", "limit": "limit", "first": "first",
         "cursor": "cursor", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"days", "limit", "first", "max_age"}),
        lists=frozenset(),
    ),
    "insider_clusters": Endpoint(
        "/v1/insider/clusters",
        {"transaction_code": "transaction_code", "min_insiders": "min_insiders", "days": "days",
         "min_value": "min_value", "ticker": "ticker", "from": "from", "to": "to", "as_of": "as_of",
         "explain": "explain", "signals": "signals", "limit": "limit", "first": "first", "cursor": "cursor",
         "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"min_insiders", "days", "min_value", "limit", "first", "max_age"}),
        lists=frozenset(),
    ),
    "insider_cluster_explanations": Endpoint(
        "/v1/insider/clusters/explanations",
        {"transaction_code": "transaction_code", "min_insiders": "min_insiders", "days": "days",
         "min_value": "min_value", "ticker": "ticker", "from": "from", "to": "to", "as_of": "as_of",
         "limit": "limit", "first": "first", "cursor": "cursor", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"min_insiders", "days", "min_value", "limit", "first", "max_age"}),
        lists=frozenset(),
    ),
    "insider_cluster_signals": Endpoint(
        "/v1/insider/clusters/signals",
        {"transaction_code": "transaction_code", "min_insiders": "min_insiders", "days": "days",
         "min_value": "min_value", "ticker": "ticker", "from": "from", "to": "to", "as_of": "as_of",
         "limit": "limit", "first": "first", "cursor": "cursor", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"min_insiders", "days", "min_value", "limit", "first", "max_age"}),
        lists=frozenset(),
    ),
    "next_releases": Endpoint(
        "/v1/next",
        {"ids": "ids", "as_of": "as_of", "skip_missing": "skip_missing"},
        numbers=frozenset(),
        lists=frozenset({"ids"}),
    ),
    "diff": Endpoint(
        "/v1/diff",
        {"ids": "ids", "days": "days", "from": "from", "to": "to", "units": "units", "digits": "digits",
         "frequency": "frequency", "aggregate": "aggregate", "partial": "partial", "all_rows": "all_rows",
         "skip_missing": "skip_missing", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"digits", "max_age"}),
        lists=frozenset({"ids", "days"}),
    ),
    "panel": Endpoint(
        "/v1/panel",
        {"ids": "ids", "as_of": "as_of", "known_at": "known_at", "as_of_each": "as_of_each",
         "known_before_each": "known_before_each", "from": "from", "to": "to", "wide": "wide", "last": "last",
         "lag": "lag", "with_dates": "with_dates", "beyond": "beyond", "sort": "sort",
         "skip_missing": "skip_missing", "units": "units", "digits": "digits", "frequency": "frequency",
         "aggregate": "aggregate", "partial": "partial", "exact": "exact", "max_age": "max_age"},
        numbers=frozenset({"last", "lag", "digits", "max_age"}),
        lists=frozenset({"ids", "as_of_each"}),
    ),
}
