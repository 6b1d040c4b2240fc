"""The client: what a caller opens, and how Python's values become those of a question."""

from __future__ import annotations

import math
import os
import warnings
import weakref
from typing import Any, Mapping, Optional, Sequence, Union

from . import tables
from .answers import Answer, AsofError, AsofNote, answer_of
from .connection import checked_url
from .process import Command
from .questions import Questions
from .service import Service
from .values import plain


class Asof(Questions):
    """Where the data come from.

    Without arguments, the asof command answers, from the store or the service that it is set to. `store` names
    another store: a file, the address of a database, or "sample". `base_url` names a service, which is asked over HTTP; with `command`, through the asof command,
    which answers every question, also those that the service has not. `command` is the command, or a list such as
    ["node", "asof/dist/asof.cjs"]. `key` is the key of the service. Default: the variable ASOF_API_KEY.

    `timeout` is the seconds for one try of a request to the service, `retries` the number of further tries, and
    `max_wait` the seconds that a request may wait in all before them. Over HTTP a question is one request; through
    the command it may take several.
    """

    def __init__(
        self,
        store: Union[str, "os.PathLike[str]", None] = None,
        base_url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        command: Union[str, Sequence[str], None] = None,
        timeout: float = 30,
        retries: int = 2,
        max_wait: float = 60,
    ) -> None:
        if store is not None and base_url is not None:
            raise AsofError("use either store or base_url", 2, field="base_url")
        for name, value in (("timeout", timeout), ("retries", retries), ("max_wait", max_wait)):
            if not isinstance(value, (int, float)) or math.isnan(value) or value < 0:
                raise AsofError(f"invalid {name!r} {value!r}: use a number of at least 0", 2, field=name)
        for name, address in (("store", store), ("base_url", base_url)):
            if _key_start in str(address):
                raise AsofError(f"invalid {name!r}: this is a key; key=... takes it", 2, field=name)
        key = _checked(key)
        #: Where the key comes from that is sent; None if the command has its own.
        self._key_hint = "asof sent the key that key= names" if key else None
        self._source: Union[Command, Service]
        if base_url is not None and command is None:
            if not key:
                key = _checked(os.environ.get("ASOF_API_KEY"))
                is_set = "asof sent the key of the variable ASOF_API_KEY"
                self._key_hint = is_set if key else "key= or the variable ASOF_API_KEY names a key"
            self._source = Service(base_url, key, timeout, retries, max_wait)
        else:
            words = [*([command] if command and isinstance(command, str) else command or ["asof"]), "lines"]
            folder = None
            if store is not None:
                words += ["--store", os.fsdecode(store)]
                # A later change of the working directory must not name another file.
                folder = os.getcwd()
            if base_url is not None:
                words += ["--base-url", checked_url(base_url), "--timeout", str(timeout)]
                words += ["--retries", str(retries), "--max-wait", str(max_wait)]
            self._source = Command(words, {"ASOF_API_KEY": key} if key else {}, folder)
        self._finalizer = weakref.finalize(self, self._source.close)

    def close(self) -> None:
        """Ends the process of the asof command, or this thread's connection to the service; later questions fail."""
        self._finalizer()

    def __enter__(self) -> "Asof":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, name: str, values: Mapping[str, Any]) -> Any:
        table = values.get("table")
        named = {one: value for one, value in values.items() if value is not None and value is not False}
        if table is None or isinstance(table, (str, os.PathLike)):
            if table is not None:
                named["table"] = os.path.abspath(table)
            return self._answer(name, {one: plain(value, one) for one, value in named.items()})
        del named["table"]
        given = {one: plain(value, one) for one, value in named.items()}
        if isinstance(given.get("on"), int):
            # A DataFrame without names has numbers.
            given["on"] = str(given["on"])
        if name != "join":
            return self._answer(name, {**given, "table": tables.rows_of(table, given.get("on"))})
        joining = tables.Joining(table, given["on"])
        return joining.joined(self._answer(name, {**given, "table": joining.days()}))

    def _answer(self, name: str, given: Mapping[str, Any]) -> Answer[Any]:
        try:
            message = self._source.ask(name, given)
        except AsofError as error:
            if error.kind != "unauthorized" or self._key_hint is None:
                raise
            about = {"kind": error.kind, "field": error.field, "request_id": error.request_id}
            raise AsofError(error.detail, error.code, hints=[self._key_hint], **about) from None
        answer = answer_of(message)
        for note in answer.notes:
            # A check that finds nothing is no reason for a warning.
            if note != answer.about.get("passed"):
                warnings.warn(note, AsofNote, stacklevel=4)
        return answer


#: How the keys of a service of asof begin; a message must not show them.
_key_start = "asof_live_sk_"


def _checked(key: Optional[str]) -> Optional[str]:
    """Returns a key without the line end of its file; refuses what no header may have, and never shows it."""
    if key is not None and not isinstance(key, str):
        raise AsofError(f"invalid 'key' of type {type(key).__name__}: use a text", 2, field="key")
    key = key.strip() if key else None
    if key and not (key.isascii() and key.isprintable()):
        raise AsofError("invalid 'key': it has a line end or a character that no key has", 2, field="key")
    return key
