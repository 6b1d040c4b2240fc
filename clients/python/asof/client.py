"""The client: what a caller opens, and how Python's values become those of a question."""

from __future__ import annotations

import os
import warnings
import weakref
from typing import Any, Mapping, Optional, Sequence, Union

from . import tables
from .answers import Answer, AsofError, AsofNote, answer_of
from .process import Command
from .questions import Questions
from .service import Service
from .values import plain


class Asof(Questions):
    """Where the data come from.

    Without arguments, the asof command answers, from the store or the service that it is set to. `store` names
    another store. `base_url` names a service, which is asked over HTTP; with `command`, through the asof command,
    which answers every question, also those that the service has not. `command` is the command, or a list such as
    ["node", "asof/dist/asof.cjs"]. `key` is the key of the service. Default: the variable ASOF_API_KEY.

    `timeout` is the seconds for one try of a request to the service, `retries` the number of further tries, and
    `max_wait` the seconds that a question may wait in all before them.
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
        self._source: Union[Command, Service]
        if base_url is not None and command is None:
            key = key or os.environ.get("ASOF_API_KEY")
            self._source = Service(base_url, key, timeout, retries, max_wait)
        else:
            words = [command or "asof"] if command is None or isinstance(command, str) else list(command)
            words.append("lines")
            if store is not None:
                # A later change of the working directory must not name another file.
                address = os.fspath(store)
                words += ["--store", address if "://" in address else os.path.abspath(address)]
            if base_url is not None:
                words += ["--base-url", base_url, "--timeout", str(timeout)]
                words += ["--retries", str(retries), "--max-wait", str(max_wait)]
            self._source = Command(words, {"ASOF_API_KEY": key} if key else {})
        self._finalizer = weakref.finalize(self, self._source.close)

    def close(self) -> None:
        """Ends the process of the asof command; later questions fail."""
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
        if name != "join":
            return self._answer(name, {**given, "table": tables.rows_of(table)})
        joining = tables.Joining(table, given["on"])
        return joining.joined(self._answer(name, {**given, "table": joining.days()}))

    def _answer(self, name: str, given: Mapping[str, Any]) -> Answer[Any]:
        answer = answer_of(self._source.ask(name, given))
        for note in answer.notes:
            warnings.warn(note, AsofNote, stacklevel=4)
        return answer
