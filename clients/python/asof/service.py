"""A service of asof over HTTP, without the asof command."""

from __future__ import annotations

import json
import re
import time
import urllib.parse
from typing import Any, Dict, List, Mapping, Optional

from .answers import AsofError
from .connection import Connections, Reply
from .endpoints import ENDPOINTS, Endpoint

#: The exit codes of the command, by the status of a service.
_codes = {400: 2, 401: 4, 403: 5, 404: 3, 429: 6}

#: The most rows that a service gives in one page.
_page_size = 1000

_longest_wait = 86_400.0

#: A day before the first filing with the SEC.
_first_filing_day = "1900-01-01"


class _ChangedData(Exception):
    """The data changed between two pages."""


class Service:
    """A service at a base URL."""

    def __init__(self, base_url: str, key: Optional[str], timeout: float, retries: int, max_wait: float) -> None:
        self._connections = Connections(base_url, key, timeout)
        self._retries, self._max_wait = retries, min(max_wait, _longest_wait)

    def ask(self, name: str, values: Mapping[str, Any]) -> Dict[str, Any]:
        """Asks a question that the service has; raises AsofError for a failure."""
        endpoint = ENDPOINTS.get(name)
        if endpoint is None:
            raise _needs_command(f"a service has no {name}")
        lacking = next((one for one in values if one not in endpoint.params), None)
        if lacking is not None:
            raise _needs_command(f"a service does not take {lacking!r} for {name}")
        texts = {endpoint.params[one]: _text(one, value) for one, value in values.items()}
        for _ in range(3):
            try:
                return self._whole(endpoint, texts)
            except _ChangedData:
                pass
        raise AsofError("the data changed again and again while they were read", 8, kind="data-changed")

    def close(self) -> None:
        """Closes the connection of this thread."""
        self._connections.close()

    def _whole(self, endpoint: Endpoint, texts: Dict[str, str]) -> Dict[str, Any]:
        most = int(texts["limit"]) if endpoint.is_paged and "limit" in texts else None
        rows: List[Dict[str, Any]] = []
        first: Optional[Dict[str, Any]] = None
        sent = dict(texts)
        while True:
            if endpoint.is_paged and (most is not None or "limit" in endpoint.params):
                sent["limit"] = str(_page_size if most is None else min(_page_size, most - len(rows)))
            page = self._page(endpoint.path, sent, first is not None)
            rows += page["results"]
            first = first or page
            cursor = page.get("next_cursor")
            if not page.get("has_more") or cursor is None or (most is not None and len(rows) >= most):
                break
            sent["cursor"] = cursor
        unknown = first.get("unknown_ticker")
        if unknown is not None:
            nearest = unknown.get("nearest")
            hints = [f"did you mean {nearest}?"] if nearest else []
            raise AsofError(f"no filing of ticker '{unknown['ticker']}' is stored", 3, kind="not-found", hints=hints)
        fields = _fields(endpoint, rows)
        about = {name: first[name] for name in first if name not in ("results", "results_count", "object", "status")}
        return {
            **about,
            "has_more": page.get("has_more", False),
            "next_cursor": page.get("next_cursor"),
            "notes": [*_notes(first, rows), *self._emptiness(rows, texts)],
            "fields": fields,
            "rows": [[row.get(field["name"]) for field in fields] for row in rows],
        }

    def _emptiness(self, rows: List[Dict[str, Any]], texts: Mapping[str, str]) -> List[str]:
        """Says of a ticker without rows when its newest filing is."""
        asked = {name: texts[name] for name in ("ticker", "as_of") if name in texts}
        if rows or "ticker" not in asked:
            return []
        path = ENDPOINTS["insider_filings"].path
        newest = self._page(path, {**asked, "from": _first_filing_day, "limit": "1"}, False)["results"]
        if not newest:
            return [f"no rows: no filing of {asked['ticker']} is stored"]
        day = newest[0]["filing_date"][:10]
        return [f"no rows: the newest filing of {asked['ticker']} is from {day}; from_ and to name a range"]

    def _page(self, path: str, texts: Mapping[str, str], continues: bool) -> Dict[str, Any]:
        filled = re.sub(r"\{(\w+)\}", lambda found: urllib.parse.quote(texts[found[1]], safe=""), path)
        query = {name: text for name, text in texts.items() if f"{{{name}}}" not in path}
        target = filled + (f"?{urllib.parse.urlencode(query)}" if query else "")
        waited, failed = 0.0, 0
        while True:
            failed += 1
            pause = 2.0 ** (failed - 1) / 4
            try:
                reply = self._connections.get(target)
            except AsofError as error:
                failure = error
            else:
                if reply.status == 200:
                    return _page_in(reply)
                failure = _problem(reply)
                if continues and failure.field == "cursor":
                    raise _ChangedData
                if reply.status not in (429, 502, 503, 504):
                    raise failure
                pause = max(pause, _seconds(reply.headers.get("Retry-After")))
            if failed > self._retries or waited + pause > self._max_wait:
                raise failure
            waited += pause
            time.sleep(pause)


def _page_in(reply: Reply) -> Dict[str, Any]:
    try:
        page = json.loads(reply.body)
    except ValueError:
        raise AsofError(f"{reply.url} did not answer in JSON", 8, kind="bad-answer") from None
    if isinstance(page, dict) and isinstance(page.get("results"), list):
        return page
    raise AsofError(f"{reply.url} did not answer as a service of asof does", 8, kind="bad-answer")


def _needs_command(detail: str) -> AsofError:
    hint = 'asof.Asof(base_url=..., command="asof") asks the service through the asof command, which has it'
    return AsofError(detail, 2, hints=[hint])


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    texts = [str(one) for one in value] if isinstance(value, list) else [str(value)]
    if name in ("id", "ids"):
        # The ids of the contract are in upper case; units may follow.
        texts = [id.upper() + mark + units for id, mark, units in (text.partition(":") for text in texts)]
    return ",".join(texts)


def _fields(endpoint: Endpoint, rows: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Returns the fields of the rows: as declared, or of a wide answer its columns, one for each series."""
    declared = {field["name"]: field for field in _declared(endpoint.fields)}
    names = list(dict.fromkeys(name for row in rows for name in row))
    if all(name in declared for name in names):
        return list(declared.values())
    return [declared.get(name) or {"name": name, "type": _type([row.get(name) for row in rows])} for name in names]


def _declared(fields: Mapping[str, Any]) -> List[Dict[str, Any]]:
    return [
        {"name": name, "type": kind}
        if isinstance(kind, str)
        else {"name": name, "type": "records", "fields": _declared(kind)}
        for name, kind in fields.items()
    ]


def _type(cells: List[Any]) -> str:
    forms = {"decimal": r"-?\d+(\.\d+)?", "day": r"\d{4}-\d\d-\d\dT00:00:00Z"}
    texts = [cell for cell in cells if cell is not None]
    for name, form in forms.items():
        if texts and all(isinstance(text, str) and re.fullmatch(form, text) for text in texts):
            return name
    return "text" if texts else "decimal"


def _notes(page: Mapping[str, Any], rows: List[Dict[str, Any]]) -> List[str]:
    """Says which series are sampled, as the answer states of its vintage or of each row."""
    vintage = page.get("vintage") or {}
    kinds = {row.get("series_id"): row.get("vintage_kind") for row in rows if row.get("series_id")}
    if vintage.get("vintage_kind") and len(kinds) == 1:
        kinds = dict.fromkeys(kinds, vintage["vintage_kind"])
    kinds.update(page.get("vintage_kinds") or {})
    dated = f" of {vintage['as_of_date'][:10]}" if vintage.get("as_of_date") else ""
    sampled = [str(name) for name, kind in kinds.items() if kind == "sampled"]
    said = f"is sampled: values are from the sample{dated}; later publications may be missing"
    notes = [f"{name} {said}" for name in sampled]
    if page.get("missing"):
        notes.append(f"left out, because not found: {', '.join(page['missing'])}")
    return notes


def _seconds(text: Optional[str]) -> float:
    return float(text) if text is not None and re.fullmatch(r"\d{1,6}", text.strip()) else 0.0


def _problem(reply: Reply) -> AsofError:
    document: Mapping[str, Any] = {}
    kind = "bad-answer"
    detail = f"{reply.url} answered {reply.status}"
    if 300 <= reply.status < 400:
        detail = f"{reply.url} redirects to {reply.headers.get('Location', 'nowhere')}"
    try:
        document = dict(json.loads(reply.body))
        detail, kind = str(document["detail"]), str(document.get("type", "")).rsplit("/", 1)[-1]
    except (ValueError, KeyError, TypeError):
        pass
    code = _codes.get(reply.status, 8)
    # The contract has these words for an unknown series; any other 404 means that the service lacks the path.
    if reply.status == 404 and not re.match(r"series '.*' not found", detail):
        code, kind = 8, "bad-answer"
    return AsofError(detail, code, kind=kind, field=document.get("field"), request_id=document.get("request_id"))
