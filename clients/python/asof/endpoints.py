"""What a service answers: the path of each question, its parameters, and its columns."""

# Generated from the table of questions by scripts/python-client.mjs.

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple


class Endpoint(NamedTuple):
    """A question of a service."""

    path: str
    #: The name over HTTP of each parameter.
    params: Mapping[str, str]
    #: The type of each column; of a list of rows, the types of theirs.
    fields: Mapping[str, Any]
    #: True if the rows come page by page.
    is_paged: bool


ENDPOINTS: Dict[str, Endpoint] = {
    "ping": Endpoint(
        "/v1/ping",
        {},
        {"status": "text", "message": "text", "plan": "text", "monthly_limit": "integer",
         "rate_per_minute": "integer", "vintage_access": "boolean", "daily_limit": "integer",
         "daily_used": "integer", "monthly_used": "integer"},
        is_paged=False,
    ),
    "series_search": Endpoint(
        "/v1/series",
        {"text": "q", "match": "match", "limit": "limit", "cursor": "cursor"},
        {"id": "text", "title": "text", "units": "text", "observation_count": "integer", "last_updated": "instant",
         "source": "text", "frequency": "text", "seasonal_adjustment": "text", "first_vintage": "day",
         "last_vintage": "day", "covered_to": "day", "vintage_kind": "text", "vintage_meaning": "text",
         "matched": "text"},
        is_paged=True,
    ),
    "series_show": Endpoint(
        "/v1/series/{id}",
        {"id": "id"},
        {"id": "text", "title": "text", "units": "text", "observation_count": "integer", "last_updated": "instant",
         "source": "text", "frequency": "text", "seasonal_adjustment": "text", "first_vintage": "day",
         "last_vintage": "day", "covered_to": "day", "vintage_kind": "text", "vintage_meaning": "text",
         "description_changes": {"changed_on": "day", "field": "text", "before": "text", "after": "text"}},
        is_paged=False,
    ),
    "observations_of_several": Endpoint(
        "/v1/observations",
        {"ids": "ids", "as_of": "as_of", "known_at": "known_at", "release": "release", "from": "from", "to": "to",
         "sort": "sort", "units": "units", "digits": "digits", "frequency": "frequency", "aggregate": "aggregate",
         "partial": "partial", "skip_missing": "skip_missing", "limit": "limit", "first": "first", "exact": "exact",
         "max_age": "max_age"},
        {"date": "day", "value": "decimal", "as_of_date": "day", "series_id": "text", "unit": "text",
         "frequency": "text", "source": "text"},
        is_paged=False,
    ),
    "revisions": Endpoint(
        "/v1/series/{id}/revisions",
        {"id": "id", "date": "date", "from": "from", "to": "to", "limit": "limit", "cursor": "cursor"},
        {"date": "day", "value": "decimal", "as_of_date": "day", "series_id": "text", "unit": "text",
         "frequency": "text", "source": "text", "vintage_kind": "text"},
        is_paged=True,
    ),
    "vintages": Endpoint(
        "/v1/series/{id}/vintages",
        {"id": "id", "from": "from", "to": "to", "limit": "limit", "cursor": "cursor"},
        {"as_of_date": "day", "added": "integer", "revised": "integer", "withdrawn": "integer",
         "vintage_kind": "text", "released_at": "moment", "known_since": "moment"},
        is_paged=True,
    ),
    "curve": Endpoint(
        "/v1/treasury/yields/curve",
        {"date": "date", "curve_type": "curve_type"},
        {"trade_date": "day", "maturity": "text", "rate": "decimal", "curve_type": "text", "source": "text"},
        is_paged=False,
    ),
    "calendar": Endpoint(
        "/v1/calendar",
        {"from": "from", "to": "to", "release": "release", "series": "series", "as_of": "as_of", "limit": "limit",
         "cursor": "cursor"},
        {"date": "day", "time": "text", "zone": "text", "at": "moment", "release": "text", "name": "text",
         "period": "text", "status": "text", "since": "day", "known_from": "day", "moved_to": "day",
         "certainty": "text", "source": "text", "evidence": "text"},
        is_paged=True,
    ),
    "due": Endpoint(
        "/v1/calendar/due",
        {"every": "every"},
        {"source": "text", "name": "text", "release": "text", "released": "day", "time": "text", "zone": "text",
         "at": "moment", "last_run": "moment", "next": "day", "next_at": "moment", "due": "boolean",
         "overdue": "day"},
        is_paged=False,
    ),
    "next_release": Endpoint(
        "/v1/series/{id}/next",
        {"id": "id", "as_of": "as_of"},
        {"series_id": "text", "due": "day", "time": "text", "zone": "text", "at": "moment", "release": "text",
         "name": "text", "period": "text", "certainty": "text", "source": "text", "overdue_since": "day",
         "newest_date": "day", "as_of_date": "day", "days_ago": "integer", "reason": "text"},
        is_paged=False,
    ),
    "yields": Endpoint(
        "/v1/treasury/yields",
        {"maturity": "maturity", "curve_type": "curve_type", "from": "from", "to": "to", "limit": "limit",
         "cursor": "cursor"},
        {"trade_date": "day", "maturity": "text", "rate": "decimal", "curve_type": "text", "source": "text"},
        is_paged=True,
    ),
    "spread": Endpoint(
        "/v1/treasury/yields/spread",
        {"long": "long", "short": "short", "curve_type": "curve_type", "from": "from", "to": "to", "limit": "limit",
         "cursor": "cursor"},
        {"trade_date": "day", "long_rate": "decimal", "short_rate": "decimal", "spread_bps": "decimal",
         "long_maturity": "text", "short_maturity": "text", "curve_type": "text", "source": "text"},
        is_paged=True,
    ),
    "insider_filings": Endpoint(
        "/v1/insider/filings",
        {"ticker": "ticker", "owner_name": "owner_name", "days": "days", "from": "from", "to": "to",
         "transaction_code": "transaction_code", "as_of": "as_of", "limit": "limit", "cursor": "cursor"},
        {"filing_date": "day", "transaction_date": "day", "accession_number": "text", "ticker": "text",
         "issuer_name": "text", "owner_name": "text", "officer_title": "text", "transaction_code": "text",
         "acquired_disposed": "text", "shares": "decimal", "price_per_share": "decimal", "is_director": "boolean",
         "is_officer": "boolean", "is_ten_percent": "boolean", "form_type": "text", "issuer_cik": "text",
         "owner_cik": "text", "other_owners": "list", "security_title": "text", "is_derivative": "boolean",
         "transaction_value": "decimal", "shares_owned_after": "decimal", "ownership": "text",
         "is_10b5_1": "boolean", "accepted_at": "text", "row": "integer", "other_owner_ciks": "list",
         "original_filing_date": "day", "owners": {"cik": "text", "name": "text", "officer_title": "text",
         "is_director": "boolean", "is_officer": "boolean", "is_ten_percent": "boolean"}, "filing_id": "text"},
        is_paged=True,
    ),
    "insider_clusters": Endpoint(
        "/v1/insider/clusters",
        {"transaction_code": "transaction_code", "min_insiders": "min_insiders", "days": "days",
         "min_value": "min_value", "ticker": "ticker", "from": "from", "to": "to", "as_of": "as_of",
         "limit": "limit", "cursor": "cursor"},
        {"ticker": "text", "issuer_name": "text", "cluster_size": "integer", "total_shares": "decimal",
         "total_value": "decimal", "date_first": "day", "date_last": "day", "insiders": {"owner_name": "text",
         "officer_title": "text", "shares": "decimal", "price_per_share": "decimal", "transaction_date": "day",
         "is_director": "boolean", "is_officer": "boolean", "owner_cik": "text", "filing_date": "day",
         "accession_number": "text", "value": "decimal"}, "issuer_cik": "text", "transaction_count": "integer",
         "average_price": "decimal", "price_low": "decimal", "price_high": "decimal", "detected_on": "day",
         "size_when_detected": "integer", "accession_numbers": "list", "transaction_code": "text"},
        is_paged=True,
    ),
    "insider_cluster_explanations": Endpoint(
        "/v1/insider/clusters/explanations",
        {"transaction_code": "transaction_code", "min_insiders": "min_insiders", "days": "days",
         "min_value": "min_value", "ticker": "ticker", "from": "from", "to": "to", "as_of": "as_of",
         "limit": "limit", "cursor": "cursor"},
        {"filing_date": "day", "transaction_date": "day", "accession_number": "text", "ticker": "text",
         "owner_name": "text", "shares": "decimal", "price_per_share": "decimal", "form_type": "text",
         "issuer_cik": "text", "row": "integer", "date_first": "day", "date_last": "day", "verdict": "text",
         "reason": "text", "transaction_code": "text"},
        is_paged=True,
    ),
    "insider_cluster_signals": Endpoint(
        "/v1/insider/clusters/signals",
        {"transaction_code": "transaction_code", "min_insiders": "min_insiders", "days": "days",
         "min_value": "min_value", "ticker": "ticker", "from": "from", "to": "to", "as_of": "as_of",
         "limit": "limit", "cursor": "cursor"},
        {"day": "day", "ticker": "text", "cluster_size": "integer", "total_value": "decimal", "date_first": "day",
         "date_last": "day", "transaction_code": "text", "issuer_cik": "text", "issuer_name": "text",
         "total_shares": "decimal", "transaction_count": "integer"},
        is_paged=True,
    ),
    "next_releases": Endpoint(
        "/v1/next",
        {"ids": "ids", "as_of": "as_of", "skip_missing": "skip_missing"},
        {"series_id": "text", "due": "day", "time": "text", "zone": "text", "at": "moment", "release": "text",
         "name": "text", "period": "text", "certainty": "text", "source": "text", "overdue_since": "day",
         "newest_date": "day", "as_of_date": "day", "days_ago": "integer", "reason": "text"},
        is_paged=False,
    ),
    "diff": Endpoint(
        "/v1/diff",
        {"ids": "ids", "days": "days", "from": "from", "to": "to", "units": "units", "digits": "digits",
         "frequency": "frequency", "aggregate": "aggregate", "partial": "partial", "all_rows": "all_rows",
         "skip_missing": "skip_missing", "exact": "exact", "max_age": "max_age"},
        {"series_id": "text", "date": "day", "old": "decimal", "new": "decimal", "change": "decimal",
         "percent": "decimal", "kind": "text"},
        is_paged=False,
    ),
    "panel": Endpoint(
        "/v1/panel",
        {"ids": "ids", "as_of": "as_of", "known_at": "known_at", "as_of_each": "as_of_each",
         "known_before_each": "known_before_each", "from": "from", "to": "to", "wide": "wide", "last": "last",
         "lag": "lag", "with_dates": "with_dates", "beyond": "beyond", "sort": "sort",
         "skip_missing": "skip_missing", "units": "units", "digits": "digits", "frequency": "frequency",
         "aggregate": "aggregate", "partial": "partial", "exact": "exact", "max_age": "max_age"},
        {"as_of": "day", "series_id": "text", "date": "day", "value": "decimal", "as_of_date": "day",
         "vintage_kind": "text"},
        is_paged=False,
    ),
}
