"""Python's values as those of questions."""

from __future__ import annotations

import datetime
import decimal
import os
from typing import Any, List, Mapping, Optional, Sequence, Union

from .answers import AsofError

#: A day: a date, or its text such as 2015-01-30.
Day = Union[str, datetime.date]

#: A time: a datetime with a zone, or its text such as 2015-01-30T08:29-05:00.
Instant = Union[str, datetime.datetime]

#: The id of a series, or several.
Ids = Union[str, Sequence[str]]

#: The path of a CSV, TSV or Parquet file, a pandas or polars DataFrame, or rows as dicts.
Table = Union[str, "os.PathLike[str]", Sequence[Mapping[str, Any]], Any]


def known(as_of: Optional[Day], known_before: Optional[Day]) -> Optional[Day]:
    """Returns the as-of date: what was known before a day was known on the day before."""
    if known_before is None:
        return as_of
    if as_of is not None:
        raise AsofError("use either as_of or known_before", 2, field="known_before")
    try:
        before = datetime.date.fromisoformat(str(plain(known_before, "known_before")))
    except ValueError:
        raise AsofError(f"invalid 'known_before' {known_before!r}: use YYYY-MM-DD", 2, field="known_before") from None
    return before - datetime.timedelta(days=1)


def plain(value: Any, name: str) -> Any:
    """Returns a value as JSON has it; refuses a time of day without a zone, which names no instant."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        if value.time() == datetime.time():
            return value.date().isoformat()
        reason = "use a date, or a datetime with a zone where a time is meant"
        raise AsofError(f"invalid {name!r} {value}: {reason}", 2, field=name)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, os.PathLike)):
        return str(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(one, name) for key, one in value.items()}
    # A number of numpy.
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        return value.item()
    try:
        return [plain(one, name) for one in value]
    except TypeError:
        raise AsofError(f"invalid {name!r}: a {type(value).__name__} cannot be sent", 2, field=name) from None


def cell(value: Any) -> Any:
    """Returns a cell of a table as JSON has it; what is missing is None."""
    if isinstance(value, datetime.datetime):
        if value != value:
            return None
        if value.tzinfo is None and value.time() == datetime.time():
            return value.date().isoformat()
        return value.isoformat(timespec="seconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, (float, decimal.Decimal)):
        return str(value) if value == value else None
    if hasattr(value, "item"):
        return cell(value.item())
    # pandas.NA, which equals nothing.
    return None if type(value).__name__ in ("NAType", "NaTType") else str(value)


def cells(values: Sequence[Any]) -> List[Any]:
    """Returns the cells of a column as JSON has them."""
    return [cell(value) for value in values]
