"""Point-in-time economic data in Python: what was known on a day, through the asof command or an asof service.

    import asof
    rows = asof.observations("GDP", as_of="2015-01-30")
    frame = asof.frame(rows)                        # a pandas DataFrame

One file without dependencies; copy it beside your script. Rows are dicts: days are `datetime.date`, numbers
`decimal.Decimal` with the exact digits, what is missing is None. Python 3.9 or later.
"""

import datetime
import decimal
import http.client
import inspect
import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings

__all__ = [
    "Asof", "AsofError", "AsofNote", "frame", "observations", "series", "show", "revisions", "vintages", "diff",
    "panel", "curve", "yields", "spread", "filings", "clusters", "calendar", "next_release",
]

#: The fields that are exact numbers; other texts of digits, such as a CIK, stay texts.
DECIMALS = frozenset(
    "value change percent old new rate vs_rate change_bps long_rate short_rate spread_bps shares price_per_share"
    " transaction_value shares_owned_after total_shares total_value average_price price_low price_high".split()
)

#: The exit codes of the command, by the status of a service.
EXIT_CODES = {400: 2, 401: 4, 403: 5, 404: 3, 429: 6}


class AsofError(Exception):
    """A failure that asof explains. `code` is the exit code of the command: 2 a bad value, 3 not found, 4 no key or a
    bad one, 5 the plan, 6 the quota, 7 unreachable, 8 the service failed, 9 refused by a demand, 10 a local file."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class AsofNote(UserWarning):
    """What people should know of an answer besides its rows, such as that a series is sampled."""


class Asof:
    """Where the data come from.

    Without arguments the asof command answers from its own store. `store` names another one, `base_url` a service, and
    `key` its key. `command` is the command, or a list such as ["node", "asof/dist/asof.cjs"]; None asks the service over HTTP.
    """

    def __init__(self, store=None, base_url=None, key=None, command="asof", timeout=30, max_wait=60):
        if store is not None and base_url is not None:
            raise ValueError("use either store or base_url")
        if command is None and base_url is None:
            raise ValueError("without the command, base_url says which service to ask")
        self._command = [command] if isinstance(command, str) else command and list(command)
        self._store, self._base_url, self._key = store, base_url, key
        self._timeout, self._max_wait = timeout, max_wait

    def observations(self, ids, as_of=None, known_before=None, first_release=False, start=None, end=None, limit=None,
                     known_at=None):
        """The values of a series, or of each of a list, newest date first; `limit` is for each series. An id with * means
        every series whose id matches.

        as_of: only what was published up to that day; known_before: before that day; known_at: up to that time, a
        datetime with a zone or a text such as 2015-01-30T08:29-05:00. first_release: each date's first value."""
        options = {"as_of": _either(as_of, known_before), "known_at": _instant(known_at),
                   "release": "first" if first_release else None, "from": start, "to": end}
        rows = []
        for one in _list(ids):
            if self._command is None and "*" in one:
                rows += self._several("/v1/observations", [one], {**options, "limit": limit})
            else:
                rows += self._ask("observations", one, "/v1/series/{}/observations", options, limit)
        return rows

    def series(self, text="", limit=None):
        """The series that a text finds, by words, synonyms and typos; without a text every series."""
        return self._ask("series search", None, "/v1/series", {"q": text or None, "match": "words" if text else None}, limit)

    def show(self, id):
        """The description of one series: title, units, frequency, vintages, coverage."""
        return self._ask("series show", id, "/v1/series/{}", {}, None)[0]

    def revisions(self, id, date, as_of=None):
        """Every value that was published for one date, oldest first."""
        return self._ask("revisions", id, "/v1/series/{}/revisions", {"date": date, "as_of": as_of}, None)

    def vintages(self, id, as_of=None, start=None, end=None, limit=None):
        """The vintage dates of a series, newest first, and how many dates each changed."""
        if self._command is None:
            # The service lists vintages from one day to another.
            bounds = [_text(day) for day in (as_of, end) if day is not None]
            as_of, end = None, min(bounds, default=None)
        options = {"as_of": as_of, "from": start, "to": end}
        return self._ask("vintages", id, "/v1/series/{}/vintages", options, limit)

    def diff(self, ids, first, second, start=None, end=None):
        """The dates whose values differ between two as-of dates."""
        options = {"from": start, "to": end}
        if self._command is None:
            return self._several("/v1/diff", ids, {"days": f"{_text(first)},{_text(second)}", **options})
        return self._run(["diff", *_flags(options)], [*_list(ids), _text(first), _text(second)])

    def panel(self, ids, as_of=None, each=None, start=None, end=None, beyond=None, known_at=None):
        """Several series as known on one day; with `each` (day, business-day, friday, week-end, month-end, quarter-end,
        year-end) the newest value of each that was known on each day from `start` to `end`. known_at: a time, as for
        observations."""
        options = {"as_of": as_of, "known_at": _instant(known_at), "as_of_each": each, "from": start, "to": end, "beyond": beyond}
        if self._command is None:
            return self._several("/v1/panel", ids, options)
        return self._run(["panel", *_flags(options)], _list(ids))

    def calendar(self, release=None, series=None, start=None, end=None, as_of=None, limit=None):
        """Releases by day: what was planned, released, moved or vanished, as known on a day."""
        options = {"release": release, "series": series, "from": start, "to": end, "as_of": as_of}
        return self._ask("calendar", None, "/v1/calendar", options, limit)

    def next_release(self, ids, as_of=None):
        """When the next figures of series are due, and how old the newest ones are."""
        if self._command is None:
            return self._several("/v1/next", ids, {"as_of": as_of})
        return self._run(["next", *_flags({"as_of": as_of})], _list(ids))

    def curve(self, date=None, type=None):
        """The treasury curve of a day, or the newest one; type: par or tips."""
        options = {"date": date, "curve_type": type and type.upper()}
        return self._ask("curve", None, "/v1/treasury/yields/curve", options, None)

    def yields(self, maturity=None, type=None, start=None, end=None, limit=None):
        """Treasury rates, newest day first; maturity: such as 10Y."""
        options = {"maturity": maturity, "curve_type": type and type.upper(), "from": start, "to": end}
        return self._ask("yields", None, "/v1/treasury/yields", options, limit)

    def spread(self, long="10Y", short="2Y", type=None, start=None, end=None, limit=None):
        """The long rate minus the short one on each day, in basis points."""
        options = {"long": long, "short": short, "curve_type": type and type.upper(), "from": start, "to": end}
        return self._ask("spread", None, "/v1/treasury/yields/spread", options, limit)

    def filings(self, ticker=None, owner=None, code=None, start=None, end=None, as_of=None, limit=None):
        """Trades that insiders reported, newest filing first."""
        options = {"ticker": ticker, "owner": owner, "code": code, "from": start, "to": end, "as_of": as_of}
        return self._ask("insider filings", None, "/v1/insider/filings", options, limit)

    def clusters(self, min_insiders=None, days=None, ticker=None, start=None, end=None, as_of=None, limit=None):
        """Clusters of insiders who bought within some days."""
        options = {"min_insiders": min_insiders, "days": days, "ticker": ticker, "from": start, "to": end, "as_of": as_of}
        return self._ask("insider clusters", None, "/v1/insider/clusters", options, limit)

    def _ask(self, words, id, path, options, limit):
        if self._command is None:
            return self._get(path if id is None else path.format(urllib.parse.quote(str(id).upper(), safe="")), options, limit)
        arguments = [] if id is None else [str(id)]
        if words == "series search" and options["q"] is not None:
            arguments = [options["q"]]
        named = {name: value for name, value in options.items() if name not in ("q", "match", "release")}
        released = ["--first-release"] if options.get("release") else []
        every = ["--all"] if limit is None and words not in ("series show", "revisions", "curve") else []
        return self._run(words.split() + released + every + _flags({**named, "limit": limit}), arguments)

    def _run(self, line, arguments):
        place = [flag for name, value in (("--store", self._store), ("--base-url", self._base_url)) if value is not None
                 for flag in (name, str(value))]
        remote = ["--timeout", str(self._timeout), "--max-wait", str(self._max_wait)] if self._base_url else []
        environment = dict(os.environ, **({"ASOF_API_KEY": self._key} if self._key else {}))
        if shutil.which(self._command[0]) is None:
            raise AsofError(f"the command {self._command[0]} is not installed, or not on the PATH", 10)
        # After -- an id is no flag, whatever it begins with.
        done = subprocess.run([*self._command, *line, *place, *remote, "-f", "ndjson", "--", *arguments], env=environment,
                              text=True, encoding="utf-8", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        said = re.sub(r"^asof: ", "", done.stderr.strip(), flags=re.MULTILINE)
        if done.returncode != 0:
            raise AsofError(said or f"asof ended with {done.returncode}", done.returncode)
        if said:
            warnings.warn(said, AsofNote, stacklevel=4)
        return [_row(json.loads(text)) for text in done.stdout.splitlines()]

    def _several(self, path, ids, options):
        answer = self._page(path, {"ids": ",".join(id.upper() for id in _list(ids)), **options})
        return [_row(row) for row in answer["results"]]

    def _get(self, path, options, limit):
        rows, cursor = [], None
        while True:
            left = None if limit is None else min(1000, limit - len(rows))
            page = self._page(path, {**options, "limit": left, "cursor": cursor})
            rows += [_row(row) for row in page["results"]]
            cursor = page.get("next_cursor")
            if not page.get("has_more") or cursor is None or (limit is not None and len(rows) >= limit):
                return rows if limit is None else rows[:limit]

    def _page(self, path, options):
        texts = {name: _text(value) for name, value in options.items() if value is not None}
        query = f"?{urllib.parse.urlencode(texts)}" if texts else ""
        request = urllib.request.Request(self._base_url.rstrip("/") + path + query)
        request.add_header("Accept", "application/json")
        if self._key:
            # Not sent on to another address, where a redirect leads.
            request.add_unredirected_header("X-API-Key", self._key)
        waited = 0.0
        while True:
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as reply:
                    return json.load(reply)
            except urllib.error.HTTPError as error:
                wait = _seconds(error.headers.get("Retry-After"))
                if error.code in (429, 503) and wait is not None and waited + wait <= self._max_wait:
                    waited += wait
                    time.sleep(wait)
                    continue
                raise AsofError(_detail(error), EXIT_CODES.get(error.code, 8)) from None
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                raise AsofError(f"cannot reach {self._base_url}: {reason}", 7) from None
            except ValueError:
                raise AsofError(f"{self._base_url} did not answer in JSON", 8) from None


def frame(rows, exact=False):
    """Rows as a pandas DataFrame: days as datetime64, numbers as float64 (with `exact`, as Decimal objects)."""
    import pandas

    result = pandas.DataFrame(rows)
    for name in result.columns:
        values = [value for value in result[name] if value is not None]
        if values and all(isinstance(value, datetime.date) for value in values):
            result[name] = pandas.to_datetime(result[name])
        elif not exact and values and all(isinstance(value, decimal.Decimal) for value in values):
            result[name] = result[name].astype(float)
    return result


def _row(row):
    return {name: _value(name, value) for name, value in row.items()}


def _value(name, value):
    if isinstance(value, list):
        return [_row(one) if isinstance(one, dict) else one for one in value]
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", value):
        return datetime.date.fromisoformat(value[:10])
    return decimal.Decimal(value) if name in DECIMALS else value


def _list(ids):
    return [ids] if isinstance(ids, str) else list(ids)


def _text(value):
    # A datetime is a date, too; only its day counts.
    return value.isoformat()[:10] if isinstance(value, datetime.date) else str(value)


def _instant(value):
    if not isinstance(value, datetime.datetime):
        return value
    if value.tzinfo is None:
        raise ValueError("known_at needs a zone: a datetime without one has no instant")
    return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _flags(options):
    names = {"curve_type": "type"}
    return [text for name, value in options.items() if value is not None
            for text in ("--" + names.get(name, name).replace("_", "-"), _text(value))]


def _either(as_of, known_before):
    if as_of is not None and known_before is not None:
        raise ValueError("use either as_of or known_before")
    if known_before is None:
        return as_of
    return datetime.date.fromisoformat(_text(known_before)) - datetime.timedelta(days=1)


def _seconds(text):
    return int(text) if text is not None and re.fullmatch(r"\d{1,6}", text.strip()) else None


def _detail(error):
    try:
        return json.load(error)["detail"]
    except (ValueError, KeyError, TypeError):
        return f"the service answered {error.code}"


def _through(method):
    def ask(*arguments, **options):
        return getattr(Asof(), method.__name__)(*arguments, **options)

    signature = inspect.signature(method)
    ask.__name__ = ask.__qualname__ = method.__name__
    ask.__doc__ = method.__doc__
    ask.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])
    return ask


observations, series, show = _through(Asof.observations), _through(Asof.series), _through(Asof.show)
revisions, vintages, diff = _through(Asof.revisions), _through(Asof.vintages), _through(Asof.diff)
panel, curve, yields = _through(Asof.panel), _through(Asof.curve), _through(Asof.yields)
calendar, next_release = _through(Asof.calendar), _through(Asof.next_release)
spread, filings, clusters = _through(Asof.spread), _through(Asof.filings), _through(Asof.clusters)
