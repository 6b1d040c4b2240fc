"""A service of asof over HTTP, without the asof command."""

from __future__ import annotations

import json
import re
import time
import urllib.parse
from typing import Any, Dict, Mapping, Optional

from .answers import AsofError, closed
from .connection import Connections, Reply
from .endpoints import CODES, ENDPOINTS, Endpoint

_longest_wait = 86_400.0

_service_failed = 8


class Service:
    """A service at a base URL, which gives the answers of the asof command: with notes, and the types of columns."""

    def __init__(self, base_url: str, key: Optional[str], timeout: float, retries: int, max_wait: float) -> None:
        self._connections = Connections(base_url, key, timeout)
        self._retries, self._max_wait = retries, min(max_wait, _longest_wait)
        self._is_closed = False

    def ask(self, name: str, values: Mapping[str, Any]) -> Dict[str, Any]:
        """Asks a question that the service has; raises AsofError for a failure."""
        if self._is_closed:
            raise closed()
        endpoint = ENDPOINTS.get(name)
        if endpoint is None:
            raise AsofError(f"a service has no {name}", 2, hints=[f"{_through_command}, which has it"])
        for one, value in values.items():
            _check(endpoint, one, value)
        texts = {endpoint.params[one]: _text(value) for one, value in values.items()}
        path = re.sub(r"\{(\w+)\}", lambda found: urllib.parse.quote(texts.pop(found[1]), safe=""), endpoint.path)
        return self._answer(path + (f"?{urllib.parse.urlencode(texts)}" if texts else ""))

    def close(self) -> None:
        """Closes the connection of this thread; later questions fail."""
        self._is_closed = True
        self._connections.close()

    def _answer(self, target: str) -> Dict[str, Any]:
        waited, failed = 0.0, 0
        while True:
            failed += 1
            pause = 2.0 ** (failed - 1) / 4
            try:
                reply = self._connections.get(target)
            except AsofError as error:
                if error.kind != "unreachable":
                    raise
                failure = error
            else:
                if reply.status == 200:
                    return _message_in(reply)
                failure = _problem(reply, self._max_wait)
                if reply.status not in (429, 502, 503, 504):
                    raise failure
                pause = max(pause, _seconds(reply.headers.get("Retry-After")))
            if failed > self._retries or waited + pause > self._max_wait:
                raise failure
            waited += pause
            time.sleep(pause)


def _message_in(reply: Reply) -> Dict[str, Any]:
    try:
        message = json.loads(reply.body)
    except ValueError:
        raise _bad_answer(f"{reply.url} did not answer in JSON") from None
    if isinstance(message, dict) and "fields" in message and "rows" in message:
        return message
    raise _bad_answer(f"{reply.url} did not answer as a service of asof does")


def _bad_answer(detail: str) -> AsofError:
    return AsofError(detail, _service_failed, kind="bad-answer", hints=[_through_command])


_through_command = 'asof.Asof(base_url=..., command="asof") asks the service through the asof command'


def _check(endpoint: Endpoint, name: str, value: Any) -> None:
    """Refuses what the address of a request would hide: a text for a number, and several values for one."""
    given = value if isinstance(value, list) else [value]
    if isinstance(value, list) and name not in endpoint.lists:
        raise AsofError(f"invalid {name!r} {value}: use one value", 2, field=name)
    if name in endpoint.numbers and any(isinstance(one, str) for one in given):
        raise AsofError(f"invalid {name!r} {value!r}: use a number", 2, field=name)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _seconds(text: Optional[str]) -> float:
    return float(text) if text is not None and re.fullmatch(r"\d{1,6}", text.strip()) else 0.0


def _problem(reply: Reply, max_wait: float) -> AsofError:
    if 300 <= reply.status < 400:
        return _bad_answer(f"{reply.url} redirects to {_shown(reply.headers.get('Location', 'nowhere'))}")
    try:
        document = json.loads(reply.body)
        detail, type_ = str(document["detail"]), str(document.get("type", ""))
    except (ValueError, KeyError, TypeError):
        document, detail, type_ = {}, f"{reply.url} answered {reply.status}", ""
    kind = document.get("kind") or type_.rsplit("/", 1)[-1]
    # Only a service that knows the question says the kind; any other 404 means that it lacks the path.
    if kind not in CODES or (kind == "not-found" and "kind" not in document):
        kind = "rate-limit-exceeded" if reply.status == 429 else "bad-answer"
    hints = document.get("hints", [])
    wait = _seconds(reply.headers.get("Retry-After"))
    if reply.status in (414, 431):
        kind = "bad-input"
        detail, hints = "the question is too long for the address of a request", [_through_command]
    elif reply.status == 429 and wait > 0:
        way_out = f"; max_wait={wait:.0f} does" if max_wait < wait <= _longest_wait else ""
        hints = [*hints, f"the service asks to wait {wait:.0f} seconds{way_out}"]
    about = {name: document.get(name) for name in ("field", "request_id")}
    named = "bad-input" if kind == "validation-error" else kind
    return AsofError(detail, CODES.get(kind, _service_failed), kind=named, hints=hints, **about)


def _shown(location: str) -> str:
    """Returns an address without what may be secret in it: user, password and query."""
    address = urllib.parse.urlsplit(location)
    return address._replace(netloc=address.netloc.rpartition("@")[2], query="", fragment="").geturl()
