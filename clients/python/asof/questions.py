"""Every question of asof as a method, and the rows that it gives."""

# Generated from the table of questions by scripts/python-client.mjs.

from __future__ import annotations

import datetime
import decimal
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from .answers import Answer
from .values import Day, Ids, Instant, Table, known

Units = Literal["yoy", "mom", "qoq", "saar", "lin", "chg", "ch1", "pch", "pc1", "pca", "cch", "cca", "log"]
Release = Union[int, Literal["final"], Sequence[Union[int, Literal["final"]]]]
Maturity = Literal["1M", "1.5M", "2M", "3M", "4M", "6M", "1Y", "2Y", "3Y", "5Y", "7Y", "10Y", "20Y", "30Y"]
TransactionCode = Literal[
    "P", "S", "V", "A", "D", "F", "I", "M", "C", "E", "H", "O", "X", "G", "L", "W", "Z", "J", "K", "U",
]
Days = Sequence[Union[Day, Instant, Literal["latest"]]]
AsOfEach = Union[
    Literal["day", "business-day", "friday", "week-end", "month-end", "quarter-end", "year-end"], Sequence[Day],
]


class PingRow(TypedDict):
    """A row of `ping`."""

    status: str
    message: str
    plan: str
    monthly_limit: int
    rate_per_minute: int
    vintage_access: bool
    daily_limit: Optional[int]
    daily_used: Optional[int]
    monthly_used: Optional[int]


class SeriesSearchRow(TypedDict):
    """A row of `series_search`."""

    id: str
    title: Optional[str]
    units: Optional[str]
    observation_count: int
    last_updated: Union[datetime.date, datetime.datetime]
    source: Optional[str]
    frequency: Optional[str]
    seasonal_adjustment: Optional[str]
    first_vintage: Optional[datetime.date]
    last_vintage: Optional[datetime.date]
    covered_to: Optional[datetime.date]
    vintage_kind: Optional[str]
    vintage_meaning: Optional[str]
    matched: Optional[str]


class SeriesShowRow(TypedDict):
    """A row of `series_show`."""

    id: str
    title: Optional[str]
    units: Optional[str]
    observation_count: int
    last_updated: Union[datetime.date, datetime.datetime]
    source: Optional[str]
    frequency: Optional[str]
    seasonal_adjustment: Optional[str]
    first_vintage: Optional[datetime.date]
    last_vintage: Optional[datetime.date]
    covered_to: Optional[datetime.date]
    vintage_kind: Optional[str]
    vintage_meaning: Optional[str]
    description_changes: Optional[List[Dict[str, Any]]]


class ObservationsRow(TypedDict):
    """A row of `observations`."""

    date: datetime.date
    value: decimal.Decimal
    as_of_date: datetime.date
    series_id: Optional[str]
    unit: Optional[str]
    frequency: Optional[str]
    source: Optional[str]


class VintagesRow(TypedDict):
    """A row of `vintages`."""

    as_of_date: datetime.date
    added: int
    revised: int
    withdrawn: int
    vintage_kind: Optional[str]
    released_at: Optional[datetime.datetime]
    known_since: Optional[datetime.datetime]


class CalendarRow(TypedDict):
    """A row of `calendar`."""

    date: datetime.date
    time: str
    zone: str
    at: Optional[datetime.datetime]
    release: str
    name: str
    period: str
    status: str
    since: datetime.date
    known_from: datetime.date
    moved_to: Optional[datetime.date]
    certainty: str
    source: str
    evidence: str


class DueRow(TypedDict):
    """A row of `due`."""

    source: str
    name: str
    release: str
    released: Optional[datetime.date]
    time: str
    zone: str
    at: Optional[datetime.datetime]
    last_run: Optional[datetime.datetime]
    next: Optional[datetime.date]
    next_at: Optional[datetime.datetime]
    due: bool
    overdue: Optional[datetime.date]


class NextReleaseRow(TypedDict):
    """A row of `next_release`."""

    series_id: str
    due: Optional[datetime.date]
    time: str
    zone: str
    at: Optional[datetime.datetime]
    release: str
    name: str
    period: str
    certainty: str
    source: str
    overdue_since: Optional[datetime.date]
    newest_date: datetime.date
    as_of_date: datetime.date
    days_ago: int
    reason: str


class YieldsRow(TypedDict):
    """A row of `yields`."""

    trade_date: datetime.date
    maturity: str
    rate: decimal.Decimal
    curve_type: str
    source: Optional[str]


class SpreadRow(TypedDict):
    """A row of `spread`."""

    trade_date: datetime.date
    long_rate: decimal.Decimal
    short_rate: decimal.Decimal
    spread_bps: decimal.Decimal
    long_maturity: str
    short_maturity: str
    curve_type: Optional[str]
    source: Optional[str]


class InsiderFilingsRow(TypedDict):
    """A row of `insider_filings`."""

    filing_date: datetime.date
    transaction_date: Optional[datetime.date]
    accession_number: Optional[str]
    ticker: Optional[str]
    issuer_name: Optional[str]
    owner_name: Optional[str]
    officer_title: Optional[str]
    transaction_code: Optional[str]
    acquired_disposed: Optional[str]
    shares: Optional[decimal.Decimal]
    price_per_share: Optional[decimal.Decimal]
    is_director: Optional[bool]
    is_officer: Optional[bool]
    is_ten_percent: Optional[bool]
    form_type: Optional[str]
    issuer_cik: Optional[str]
    owner_cik: Optional[str]
    other_owners: Optional[List[Optional[str]]]
    security_title: Optional[str]
    is_derivative: Optional[bool]
    transaction_value: Optional[decimal.Decimal]
    shares_owned_after: Optional[decimal.Decimal]
    ownership: Optional[str]
    is_10b5_1: Optional[bool]
    accepted_at: Optional[str]
    row: Optional[int]
    other_owner_ciks: Optional[List[Optional[str]]]
    original_filing_date: Optional[datetime.date]
    owners: Optional[List[Dict[str, Any]]]
    filing_id: Optional[str]


class InsiderClusterExplanationsRow(TypedDict):
    """A row of `insider_cluster_explanations`."""

    filing_date: datetime.date
    transaction_date: Optional[datetime.date]
    accession_number: Optional[str]
    ticker: Optional[str]
    owner_name: Optional[str]
    shares: Optional[decimal.Decimal]
    price_per_share: Optional[decimal.Decimal]
    form_type: str
    issuer_cik: str
    row: int
    date_first: datetime.date
    date_last: datetime.date
    verdict: str
    reason: str
    transaction_code: Optional[str]


class InsiderClusterSignalsRow(TypedDict):
    """A row of `insider_cluster_signals`."""

    day: datetime.date
    ticker: Optional[str]
    cluster_size: int
    total_value: Optional[decimal.Decimal]
    date_first: datetime.date
    date_last: datetime.date
    transaction_code: str
    issuer_cik: str
    issuer_name: Optional[str]
    total_shares: Optional[decimal.Decimal]
    transaction_count: int


class NextReleasesRow(TypedDict):
    """A row of `next_releases`."""

    series_id: str
    due: Optional[datetime.date]
    time: str
    zone: str
    at: Optional[datetime.datetime]
    release: str
    name: str
    period: str
    certainty: str
    source: str
    overdue_since: Optional[datetime.date]
    newest_date: datetime.date
    as_of_date: datetime.date
    days_ago: int
    reason: str


class DiffRow(TypedDict):
    """A row of `diff`."""

    series_id: str
    date: datetime.date
    old: Optional[decimal.Decimal]
    new: Optional[decimal.Decimal]
    change: Optional[decimal.Decimal]
    percent: Optional[decimal.Decimal]
    kind: str


class CheckRow(TypedDict):
    """A row of `check`."""

    row: int
    day: datetime.date
    column: str
    series_id: str
    value: decimal.Decimal
    known: Optional[decimal.Decimal]
    known_date: Optional[datetime.date]
    first_known: Optional[datetime.date]
    value_date: Optional[datetime.date]
    kind: str


class Questions:
    """The questions; a subclass answers them."""

    def _ask(self, name: str, values: Mapping[str, Any]) -> Answer[Any]:
        raise NotImplementedError

    def ping(
        self,
    ) -> Answer[PingRow]:
        """Check that asof answers, and show what your plan allows.

        The plan of the key and its limits. It counts as a request like any other.
        """
        return self._ask("ping", {})

    def series_search(
        self,
        text: Optional[str] = None,
        *,
        match: Literal["id", "title", "any", "words"] = "words",
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Answer[SeriesSearchRow]:
        """Find series by words, synonyms, or a part of the id.

        In the order of ids. `match=title` finds titles in which each word of the text begins a word; `match=any`
        lists series found by id before series found by title. `match=words` finds words in any order, and typos and
        synonyms of them, in ids, titles, units and the areas of ids, best first; `matched` says how. A text that
        names an area finds series of others only if it finds none of that area.

        Args:
            text: Search text; case is ignored. Where words are searched, at most 32 of them.
            match: Where to search for the text; `words` also finds synonyms and corrects a typo.
            limit: Maximum rows, the newest.
            cursor: Cursor of the page to continue from.
        """
        return self._ask("series_search", {"text": text, "match": match, "limit": limit, "cursor": cursor})

    def series_show(
        self,
        id: str,
    ) -> Answer[SeriesShowRow]:
        """Describe one series: title, units, coverage.

        What the series is, how many dates have a value, and which days its vintages span.

        Args:
            id: The id of the series, such as GDP.
        """
        return self._ask("series_show", {"id": id})

    def observations(
        self,
        ids: Ids,
        *,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        known_at: Optional[Instant] = None,
        release: Optional[Literal["first"]] = None,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        sort: Optional[Literal["desc", "asc"]] = None,
        units: Optional[Units] = None,
        digits: Optional[int] = None,
        frequency: Optional[Literal["w", "m", "q", "sa", "a"]] = None,
        aggregate: Optional[Literal["avg", "sum", "eop"]] = None,
        partial: bool = False,
        skip_missing: bool = False,
        limit: Optional[int] = None,
        first: Optional[int] = None,
        cursor: Optional[str] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[ObservationsRow]:
        """Show the values of series as they were known on a day.

        Args:
            ids: The ids of the series; one with * means every series whose id matches, and CPIAUCSL:yoy a series in
                its own units.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            known_at: Time with its offset from UTC: strict to the minute where calendars give the times of releases,
                to the day before where they do not.
            release: `first`: each date's first published value.
            from_: First date.
            to: Last date.
            sort: Newest (desc) or oldest (asc) first.
            units: Growth (yoy, mom, qoq, saar), a change or a logarithm, computed within one vintage by the formulas
                of FRED.
            digits: Decimal places of computed values (default: as FRED).
            frequency: A coarser frequency, to which values are aggregated.
            aggregate: Average, sum, or the value at the end of a period.
            partial: Include incomplete periods of a frequency.
            skip_missing: Skip unknown ids, with a note.
            limit: Maximum rows, the newest.
            first: Most rows, the oldest ones.
            cursor: Cursor of the page to continue from.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("observations_of_several", {
            "ids": ids, "as_of": known(as_of, known_before), "known_at": known_at, "release": release,
            "from": from_, "to": to, "sort": sort, "units": units, "digits": digits, "frequency": frequency,
            "aggregate": aggregate, "partial": partial, "skip_missing": skip_missing, "limit": limit,
            "first": first, "cursor": cursor, "exact": exact, "max_age": max_age,
        })

    def revisions(
        self,
        id: str,
        *,
        date: Optional[Day] = None,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        release: Optional[Release] = None,
        after: Optional[Union[int, Sequence[int]]] = None,
        wide: bool = False,
        stats: bool = False,
        summary: bool = False,
        units: Optional[Units] = None,
        digits: Optional[int] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[Dict[str, Any]]:
        """Show every value published for each date, and its changes.

        Newest date first, and for each date one row for each change, in the order of publication. A withdrawal is a
        row without a value. A page has whole dates.

        Args:
            id: The id of the series, such as GDP.
            date: The only date.
            from_: First date.
            to: Last date.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            release: Values at releases, such as 1,2,final (the newest values).
            after: Values some days after the first release, such as 90d or 30d,90d.
            wide: The triangle: one row per date, one column per vintage.
            stats: Statistics of the revisions between releases (default 1,2,3,final).
            summary: One paragraph on a date: its releases, latest value and largest change.
            units: Growth (yoy, mom, qoq, saar), a change or a logarithm, computed within one vintage by the formulas
                of FRED.
            digits: Decimal places of computed values (default: as FRED).
            limit: Maximum rows, the newest.
            cursor: Cursor of the page to continue from.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("revisions", {
            "id": id, "date": date, "from": from_, "to": to, "as_of": known(as_of, known_before),
            "release": release, "after": after, "wide": wide, "stats": stats, "summary": summary, "units": units,
            "digits": digits, "limit": limit, "cursor": cursor, "exact": exact, "max_age": max_age,
        })

    def vintages(
        self,
        id: str,
        *,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        limit: Optional[int] = None,
        first: Optional[int] = None,
        cursor: Optional[str] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[VintagesRow]:
        """List the days on which a series was published, and what changed.

        Newest day first, with the numbers of dates that got a value, changed it, or lost it.

        Args:
            id: The id of the series, such as GDP.
            from_: First day of publication.
            to: Last day of publication.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            limit: Maximum rows, the newest.
            first: Most rows, the oldest ones.
            cursor: Cursor of the page to continue from.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("vintages", {
            "id": id, "from": from_, "to": to, "as_of": known(as_of, known_before), "limit": limit, "first": first,
            "cursor": cursor, "exact": exact, "max_age": max_age,
        })

    def curve(
        self,
        *,
        date: Optional[Day] = None,
        curve_type: Optional[Literal["PAR", "TIPS"]] = None,
        on_or_before: bool = False,
        vs: Optional[Day] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[Dict[str, Any]]:
        """Show the treasury yield curve of a day.

        One row for each maturity, shortest first. With `date` the curve of exactly that day, and no rows if there was
        none; without it the newest curve on or before today.

        Args:
            date: Trade date; no rows if that day has no curve.
            curve_type: Curve type.
            on_or_before: Use the newest curve on or before the date.
            vs: Compare with the curve of another date, in basis points.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("curve", {
            "date": date, "curve_type": curve_type, "on_or_before": on_or_before, "vs": vs, "exact": exact,
            "max_age": max_age,
        })

    def calendar(
        self,
        *,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        release: Optional[str] = None,
        series: Optional[str] = None,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Answer[CalendarRow]:
        """Show when statistics were released, and when they are due.

        By day. A plan is known from the day on which a calendar was seen, a release from its own day; what a calendar
        lists no more has vanished. The default begins a week before the as-of date, which is today by default.

        Args:
            from_: First day of a release.
            to: Last day of a release.
            release: A part of the name of a release in any case, or its id.
            series: The releases in which this series appears.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            limit: Maximum rows, the newest.
            cursor: Cursor of the page to continue from.
        """
        return self._ask("calendar", {
            "from": from_, "to": to, "release": release, "series": series, "as_of": known(as_of, known_before),
            "limit": limit, "cursor": cursor,
        })

    def due(
        self,
        *,
        every: bool = False,
    ) -> Answer[DueRow]:
        """Show which followed items were released since their last pull.

        By calendars and stored vintages. A planned time that has passed counts as released; a plan that has vanished,
        moved or was cancelled does not. A pull may come before the source has loaded a release: for 24 hours, it
        stays due until its vintage is stored. Of a release without a time, the end of the day counts. Items without a
        release in a calendar, such as curves and filings, are never due.

        Args:
            every: Also the items that are not due.
        """
        return self._ask("due", {"every": every})

    def next_release(
        self,
        id: str,
        *,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
    ) -> Answer[NextReleaseRow]:
        """Show when the next figure of a series is due, and how old the newest is.

        The next planned day of the release in which a series appears, as calendars listed it by the as-of date
        (default: today). Where no calendar lists a day, the rhythm of the vintages projects one.

        Args:
            id: The id of the series, such as GDP.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
        """
        return self._ask("next_release", {"id": id, "as_of": known(as_of, known_before)})

    def yields(
        self,
        *,
        maturity: Optional[Maturity] = None,
        curve_type: Optional[Literal["PAR", "TIPS"]] = None,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        limit: Optional[int] = None,
        first: Optional[int] = None,
        cursor: Optional[str] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[YieldsRow]:
        """Show treasury rates over time, for one maturity or all.

        Newest trade date first, then shortest maturity. Treasury rates are not revised.

        Args:
            maturity: Maturity label, such as 10Y (default: all).
            curve_type: Curve type.
            from_: First trade date.
            to: Last trade date.
            limit: Maximum rows, the newest.
            first: Most rows, the oldest ones.
            cursor: Cursor of the page to continue from.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("yields", {
            "maturity": maturity, "curve_type": curve_type, "from": from_, "to": to, "limit": limit, "first": first,
            "cursor": cursor, "exact": exact, "max_age": max_age,
        })

    def spread(
        self,
        *,
        long: Optional[Maturity] = None,
        short: Optional[Maturity] = None,
        curve_type: Optional[Literal["PAR", "TIPS"]] = None,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        limit: Optional[int] = None,
        first: Optional[int] = None,
        cursor: Optional[str] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[SpreadRow]:
        """Show the difference between two treasury rates over time.

        Newest trade date first; only days that have both rates. In basis points, with two decimals.

        Args:
            long: The maturity to compare.
            short: The maturity to compare it with.
            curve_type: Curve type.
            from_: First trade date.
            to: Last trade date.
            limit: Maximum rows, the newest.
            first: Most rows, the oldest ones.
            cursor: Cursor of the page to continue from.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("spread", {
            "long": long, "short": short, "curve_type": curve_type, "from": from_, "to": to, "limit": limit,
            "first": first, "cursor": cursor, "exact": exact, "max_age": max_age,
        })

    def insider_filings(
        self,
        *,
        ticker: Optional[str] = None,
        owner_name: Optional[str] = None,
        days: Optional[int] = None,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        transaction_code: Optional[str] = None,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        limit: Optional[int] = None,
        first: Optional[int] = None,
        cursor: Optional[str] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[InsiderFilingsRow]:
        """List the trades that insiders reported, by filing date.

        One row for each trade of a Form 3, 4 or 5, newest filing date first, then by accession number and position in
        the filing. With `as_of` only what was filed on or before that day counts.

        Args:
            ticker: Trading symbol.
            owner_name: Part of an owner's name, ignoring case.
            days: Filed within this number of days (default 30 without a date).
            from_: First filing date.
            to: Last filing date.
            transaction_code: Code of the transaction: P is a purchase in the open market.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            limit: Maximum rows, the newest.
            first: Most rows, the oldest ones.
            cursor: Cursor of the page to continue from.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("insider_filings", {
            "ticker": ticker, "owner_name": owner_name, "days": days, "from": from_, "to": to,
            "transaction_code": transaction_code, "as_of": known(as_of, known_before), "limit": limit,
            "first": first, "cursor": cursor, "exact": exact, "max_age": max_age,
        })

    def insider_clusters(
        self,
        *,
        transaction_code: Optional[TransactionCode] = None,
        min_insiders: Optional[int] = None,
        days: Optional[int] = None,
        min_value: Optional[int] = None,
        ticker: Optional[str] = None,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        explain: bool = False,
        signals: bool = False,
        limit: Optional[int] = None,
        first: Optional[int] = None,
        cursor: Optional[str] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[Dict[str, Any]]:
        """Find companies whose insiders bought (or sold) within days of each other.

        Newest last trade first, then the largest. Purchases in the open market by officers and directors count, or
        with `transaction_code` their trades with another code. With `as_of` only what was filed on or before that day
        counts.

        Args:
            transaction_code: Code of the transactions: P is a purchase, S a sale.
            min_insiders: Distinct insiders that make a cluster.
            days: Length of a period in calendar days; periods that share a trade are joined.
            min_value: Minimum total value, in dollars.
            ticker: Trading symbol.
            from_: Earliest date of the last trade of a cluster.
            to: Latest date of the last trade of a cluster.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            explain: List each trade in or near a cluster, and why it counts.
            signals: List the first public day of each cluster, with its size and value then; the range of dates
                selects that day.
            limit: Maximum rows, the newest.
            first: Most rows, the oldest ones.
            cursor: Cursor of the page to continue from.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("insider_clusters", {
            "transaction_code": transaction_code, "min_insiders": min_insiders, "days": days,
            "min_value": min_value, "ticker": ticker, "from": from_, "to": to, "as_of": known(as_of, known_before),
            "explain": explain, "signals": signals, "limit": limit, "first": first, "cursor": cursor,
            "exact": exact, "max_age": max_age,
        })

    def insider_cluster_explanations(
        self,
        *,
        transaction_code: Optional[TransactionCode] = None,
        min_insiders: Optional[int] = None,
        days: Optional[int] = None,
        min_value: Optional[int] = None,
        ticker: Optional[str] = None,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        limit: Optional[int] = None,
        first: Optional[int] = None,
        cursor: Optional[str] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[InsiderClusterExplanationsRow]:
        """Which trades make a cluster of insiders, and why others near it do not count.

        The trades with the code of each cluster (P, or `transaction_code`) in it and near it, in the order of the
        clusters, then by trade date. A page has whole clusters.

        Args:
            transaction_code: Code of the transactions: P is a purchase, S a sale.
            min_insiders: Distinct insiders that make a cluster.
            days: Length of a period in calendar days; periods that share a trade are joined.
            min_value: Minimum total value, in dollars.
            ticker: Trading symbol.
            from_: Earliest date of the last trade of a cluster.
            to: Latest date of the last trade of a cluster.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            limit: Maximum rows, the newest.
            first: Most rows, the oldest ones.
            cursor: Cursor of the page to continue from.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("insider_cluster_explanations", {
            "transaction_code": transaction_code, "min_insiders": min_insiders, "days": days,
            "min_value": min_value, "ticker": ticker, "from": from_, "to": to, "as_of": known(as_of, known_before),
            "limit": limit, "first": first, "cursor": cursor, "exact": exact, "max_age": max_age,
        })

    def insider_cluster_signals(
        self,
        *,
        transaction_code: Optional[TransactionCode] = None,
        min_insiders: Optional[int] = None,
        days: Optional[int] = None,
        min_value: Optional[int] = None,
        ticker: Optional[str] = None,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        limit: Optional[int] = None,
        first: Optional[int] = None,
        cursor: Optional[str] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[InsiderClusterSignalsRow]:
        """On which day clusters of insiders became known.

        One row for each cluster on the first day on which it was public and had the value of `min_value`, with what
        was known at the end of that day, newest day first. Later filings, amendments included, change no row.

        Args:
            transaction_code: Code of the transactions: P is a purchase, S a sale.
            min_insiders: Distinct insiders that make a cluster.
            days: Length of a period in calendar days; periods that share a trade are joined.
            min_value: Minimum total value, in dollars.
            ticker: Trading symbol.
            from_: First day of a signal.
            to: Last day of a signal.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            limit: Maximum rows, the newest.
            first: Most rows, the oldest ones.
            cursor: Cursor of the page to continue from.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("insider_cluster_signals", {
            "transaction_code": transaction_code, "min_insiders": min_insiders, "days": days,
            "min_value": min_value, "ticker": ticker, "from": from_, "to": to, "as_of": known(as_of, known_before),
            "limit": limit, "first": first, "cursor": cursor, "exact": exact, "max_age": max_age,
        })

    def next_releases(
        self,
        ids: Ids,
        *,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        skip_missing: bool = False,
    ) -> Answer[NextReleasesRow]:
        """Show when the next figure of a series is due, and how old the newest is.

        Args:
            ids: The ids of the series; one with * means every series whose id matches, and CPIAUCSL:yoy a series in
                its own units.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            skip_missing: Skip unknown ids, with a note.
        """
        return self._ask("next_releases", {
            "ids": ids, "as_of": known(as_of, known_before), "skip_missing": skip_missing,
        })

    def yield_table(
        self,
        *,
        maturity: Optional[Maturity] = None,
        curve_type: Optional[Literal["PAR", "TIPS"]] = None,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        limit: Optional[int] = None,
        first: Optional[int] = None,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[Dict[str, Any]]:
        """Treasury rates with a row for each date and a column for each maturity, newest first; `limit` and `first`
        count dates.

        Args:
            maturity: Maturity label, such as 10Y (default: all).
            curve_type: Curve type.
            from_: First trade date.
            to: Last trade date.
            limit: Most rows.
            first: Most rows, the oldest ones.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("yield_table", {
            "maturity": maturity, "curve_type": curve_type, "from": from_, "to": to, "limit": limit, "first": first,
            "exact": exact, "max_age": max_age,
        })

    def diff(
        self,
        ids: Ids,
        days: Days,
        *,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        units: Optional[Units] = None,
        digits: Optional[int] = None,
        frequency: Optional[Literal["w", "m", "q", "sa", "a"]] = None,
        aggregate: Optional[Literal["avg", "sum", "eop"]] = None,
        partial: bool = False,
        all_rows: bool = False,
        skip_missing: bool = False,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[DiffRow]:
        """The dates whose values differ between two as-of dates, newest first; those that only one of the days knows
        come last.

        Args:
            ids: The ids of the series; one with * means every series whose id matches, and CPIAUCSL:yoy a series in
                its own units.
            days: The two as-of dates, the earlier one first; latest is the newest vintage.
            from_: First date.
            to: Last date.
            units: Growth (yoy, mom, qoq, saar), a change or a logarithm, computed within one vintage by the formulas
                of FRED.
            digits: Decimal places of computed values (default: as FRED).
            frequency: A coarser frequency, to which values are aggregated.
            aggregate: Average, sum, or the value at the end of a period.
            partial: Include incomplete periods of a frequency.
            all_rows: Include dates with the same value.
            skip_missing: Skip unknown ids, with a note.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("diff", {
            "ids": ids, "days": days, "from": from_, "to": to, "units": units, "digits": digits,
            "frequency": frequency, "aggregate": aggregate, "partial": partial, "all_rows": all_rows,
            "skip_missing": skip_missing, "exact": exact, "max_age": max_age,
        })

    def versions(
        self,
        ids: Ids,
        days: Days,
        *,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        limit: Optional[int] = None,
        sort: Optional[Literal["desc", "asc"]] = None,
        change: bool = False,
        all_rows: bool = False,
        skip_missing: bool = False,
        units: Optional[Units] = None,
        digits: Optional[int] = None,
        frequency: Optional[Literal["w", "m", "q", "sa", "a"]] = None,
        aggregate: Optional[Literal["avg", "sum", "eop"]] = None,
        partial: bool = False,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[Dict[str, Any]]:
        """The values of series as of several days, with a column for each day; `change` compares the last day with
        the first.

        Args:
            ids: The ids of the series; one with * means every series whose id matches, and CPIAUCSL:yoy a series in
                its own units.
            days: As-of dates; latest is the newest vintage.
            from_: First date.
            to: Last date.
            limit: The newest dates, at most this number.
            sort: Newest (desc) or oldest (asc) first.
            change: Add the change from the first day to the last, also in percent.
            all_rows: Include dates that only some of the days know.
            skip_missing: Skip unknown ids, with a note.
            units: Growth (yoy, mom, qoq, saar), a change or a logarithm, computed within one vintage by the formulas
                of FRED.
            digits: Decimal places of computed values (default: as FRED).
            frequency: A coarser frequency, to which values are aggregated.
            aggregate: Average, sum, or the value at the end of a period.
            partial: Include incomplete periods of a frequency.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("versions", {
            "ids": ids, "days": days, "from": from_, "to": to, "limit": limit, "sort": sort, "change": change,
            "all_rows": all_rows, "skip_missing": skip_missing, "units": units, "digits": digits,
            "frequency": frequency, "aggregate": aggregate, "partial": partial, "exact": exact, "max_age": max_age,
        })

    def panel(
        self,
        ids: Ids,
        *,
        as_of: Optional[Day] = None,
        known_before: Optional[Day] = None,
        known_at: Optional[Instant] = None,
        as_of_each: Optional[AsOfEach] = None,
        known_before_each: bool = False,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        wide: bool = False,
        last: Optional[int] = None,
        lag: Optional[int] = None,
        with_dates: bool = False,
        beyond: Optional[Literal["empty", "repeat", "fail"]] = None,
        sort: Optional[Literal["desc", "asc"]] = None,
        skip_missing: bool = False,
        units: Optional[Units] = None,
        digits: Optional[int] = None,
        frequency: Optional[Literal["w", "m", "q", "sa", "a"]] = None,
        aggregate: Optional[Literal["avg", "sum", "eop"]] = None,
        partial: bool = False,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[Dict[str, Any]]:
        """Several series side by side as known on one day. With `as_of_each`, the newest value of each series that
        was known on each day of a schedule: a panel for backtests, without look-ahead.

        Args:
            ids: The ids of the series; one with * means every series whose id matches, and CPIAUCSL:yoy a series in
                its own units.
            as_of: As-of date: the answer has only what was published on or before it.
            known_before: Only what was published before this date, instead of `as_of`.
            known_at: Time with its offset from UTC: strict to the minute where calendars give the times of releases,
                to the day before where they do not.
            as_of_each: The as-of dates: those of a schedule from `from` to `to`, or a list of dates.
            known_before_each: Only what was published before each of these days.
            from_: First date.
            to: Last date.
            wide: One column per series.
            last: The newest n observations on each as-of date (default 1).
            lag: Skip the newest n observations on each as-of date.
            with_dates: Add the observation date of each value to a wide panel.
            beyond: What days after the coverage of a series show.
            sort: Newest (desc) or oldest (asc) first.
            skip_missing: Skip unknown ids, with a note.
            units: Growth (yoy, mom, qoq, saar), a change or a logarithm, computed within one vintage by the formulas
                of FRED.
            digits: Decimal places of computed values (default: as FRED).
            frequency: A coarser frequency, to which values are aggregated.
            aggregate: Average, sum, or the value at the end of a period.
            partial: Include incomplete periods of a frequency.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("panel", {
            "ids": ids, "as_of": known(as_of, known_before), "known_at": known_at, "as_of_each": as_of_each,
            "known_before_each": known_before_each, "from": from_, "to": to, "wide": wide, "last": last, "lag": lag,
            "with_dates": with_dates, "beyond": beyond, "sort": sort, "skip_missing": skip_missing, "units": units,
            "digits": digits, "frequency": frequency, "aggregate": aggregate, "partial": partial, "exact": exact,
            "max_age": max_age,
        })

    def join(
        self,
        table: Table,
        ids: Ids,
        *,
        on: str,
        date_format: Optional[str] = None,
        strict: bool = False,
        lag: Optional[int] = None,
        known_at: bool = False,
        with_dates: bool = False,
        with_age: bool = False,
        beyond: Optional[Literal["empty", "repeat", "fail"]] = None,
        skip_missing: bool = False,
        units: Optional[Units] = None,
        digits: Optional[int] = None,
        frequency: Optional[Literal["w", "m", "q", "sa", "a"]] = None,
        aggregate: Optional[Literal["avg", "sum", "eop"]] = None,
        partial: bool = False,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Any:
        """Add to each row of a table what was known on its day.

        Writes the rows of the table in their order, with a column for each series: the newest value known on the day
        of the row. From CSV to CSV, or TSV to TSV, its cells are copied byte by byte.

        Args:
            table: The path of a CSV, TSV or Parquet file, or a list of rows.
            ids: The ids of the series; one with * means every series whose id matches, and CPIAUCSL:yoy a series in
                its own units.
            on: Column of the days.
            date_format: Order of month and day in dates such as 1/2/2024: M/D/YYYY or D/M/YYYY.
            strict: Use only what was published before the day of the row.
            lag: Skip the newest n observations.
            known_at: The column has times with their offsets from UTC: use what was known at each, to the minute
                where calendars give the times of releases.
            with_dates: Add the observation date of each value.
            with_age: Add the days since each value was published.
            beyond: What days after the coverage of a series show.
            skip_missing: Skip unknown ids, with a note.
            units: Growth (yoy, mom, qoq, saar), a change or a logarithm, computed within one vintage by the formulas
                of FRED.
            digits: Decimal places of computed values (default: as FRED).
            frequency: A coarser frequency, to which values are aggregated.
            aggregate: Average, sum, or the value at the end of a period.
            partial: Include incomplete periods of a frequency.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("join", {
            "table": table, "ids": ids, "on": on, "date_format": date_format, "strict": strict, "lag": lag,
            "known_at": known_at, "with_dates": with_dates, "with_age": with_age, "beyond": beyond,
            "skip_missing": skip_missing, "units": units, "digits": digits, "frequency": frequency,
            "aggregate": aggregate, "partial": partial, "exact": exact, "max_age": max_age,
        })

    def check(
        self,
        table: Table,
        *,
        on: Optional[str] = None,
        date_format: Optional[str] = None,
        columns: Optional[Mapping[str, str]] = None,
        strict: bool = False,
        lag: Optional[int] = None,
        all_rows: bool = False,
        beyond: Optional[Literal["empty", "repeat", "fail"]] = None,
        skip_missing: bool = False,
        units: Optional[Units] = None,
        digits: Optional[int] = None,
        frequency: Optional[Literal["w", "m", "q", "sa", "a"]] = None,
        aggregate: Optional[Literal["avg", "sum", "eop"]] = None,
        partial: bool = False,
        exact: bool = False,
        max_age: Optional[int] = None,
    ) -> Answer[CheckRow]:
        """Find values in a table that were not yet known on the day of their row.

        Compares each value with the value known on the day of its row, and lists the values that were not yet known:
        the row, the value, the known value, and the day on which the listed value became known. Checks columns named
        like series. A column NAME_date gives the period of each value in the column NAME.

        Args:
            table: The path of a CSV, TSV or Parquet file, or a list of rows.
            on: Column of the days (default the first).
            date_format: Order of month and day in dates such as 1/2/2024: M/D/YYYY or D/M/YYYY.
            columns: The columns to check, with the id of the series of each; by default every column with the name of
                a series.
            strict: Use only what was published before the day of the row.
            lag: Skip the newest n observations.
            all_rows: Include the values that were known.
            beyond: What days after the coverage of a series show.
            skip_missing: Skip unknown ids, with a note.
            units: Growth (yoy, mom, qoq, saar), a change or a logarithm, computed within one vintage by the formulas
                of FRED.
            digits: Decimal places of computed values (default: as FRED).
            frequency: A coarser frequency, to which values are aggregated.
            aggregate: Average, sum, or the value at the end of a period.
            partial: Include incomplete periods of a frequency.
            exact: Refuses answers from vintages whose days are not days of publication.
            max_age: Refuses data that end more than this many days before the day asked for.
        """
        return self._ask("check", {
            "table": table, "on": on, "date_format": date_format, "columns": columns, "strict": strict, "lag": lag,
            "all_rows": all_rows, "beyond": beyond, "skip_missing": skip_missing, "units": units, "digits": digits,
            "frequency": frequency, "aggregate": aggregate, "partial": partial, "exact": exact, "max_age": max_age,
        })
