"""Python's values as those of questions."""

from __future__ import annotations

import datetime
import decimal
import math
import os
from typing import Any, List, Mapping, Optional, Sequence, Union

from .answers import AsofError
from .endpoints import TIMES

#: A day: a date, or its text such as 2015-01-30; midnight of a day of pandas or numpy does as well.
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
    given = str(plain(known_before, "known_before"))
    try:
        day = datetime.date.fromisoformat(given)
        # Python 3.11 reads 20150130 and 2015-W05-5 too, which no other parameter takes.
        if day.isoformat() != given:
            raise ValueError
        return day - datetime.timedelta(days=1)
    except ValueError:
        raise _refused("known_before", known_before, "use YYYY-MM-DD") from None
    except OverflowError:
        raise _refused("known_before", known_before, "no day is before it") from None


def plain(value: Any, name: str) -> Any:
    """Returns the value of a parameter as JSON has it; refuses what no question takes."""
    given, value = value, _scalar(value)
    if _is_missing(value) or (value is None and given is not None):
        raise _refused(name, given, "leave the parameter out where there is no value")
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            if name not in TIMES:
                raise _refused(name, given, "a time with a zone is no day; use its date, such as value.date()")
            return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        if value.time() == datetime.time():
            if name == "known_at":
                raise _refused(name, given, "use a datetime with a zone; a day alone is an as-of date")
            return value.date().isoformat()
        reason = "a time needs a zone: use a datetime with one" if name in TIMES else "use a date, without a time"
        raise _refused(name, given, reason)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (float, decimal.Decimal)):
        if math.isinf(value):
            raise _refused(name, value, "use a finite number")
        return int(value) if value == int(value) else float(value)
    if isinstance(value, os.PathLike):
        return str(value)
    if isinstance(value, str) and name in ("id", "ids") and "," in value:
        ids = [one.strip() for one in value.split(",")]
        raise _refused(name, value, f"this is no id of one series; use a list such as {ids}")
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(one, name) for key, one in value.items()}
    if isinstance(value, (bytes, bytearray)) or not hasattr(value, "__iter__"):
        raise AsofError(f"invalid {name!r}: a {type(value).__name__} cannot be sent", 2, field=name)
    return [plain(one, name) for one in value]


def cells(values: Any) -> List[Any]:
    """Returns the cells of a column as JSON has them."""
    dtype = str(getattr(values, "dtype", ""))
    if dtype in ("float16", "float32"):
        # As a float of Python, 17710.7 of 32 bits is 17710.69921875.
        return [str(value) if value == value else None for value in values.to_numpy()]
    if dtype == "Float32":
        texts = values.astype("string") if hasattr(values, "astype") else values.cast(str)
        return [_cell(text) for text in texts]
    return [_cell(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]


def _cell(value: Any) -> Any:
    """Returns a cell of a table as JSON has it; what is missing is None."""
    value = _scalar(value)
    if value is None or _is_missing(value):
        return None
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None and value.time() == datetime.time():
            return value.date().isoformat()
        return value.isoformat(timespec="seconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value if isinstance(value, (str, bool, int)) else str(value)


def _scalar(value: Any) -> Any:
    """Returns a scalar of numpy as Python has it; a date with nanoseconds would become their number."""
    if getattr(value, "ndim", None) != 0 or not hasattr(value, "item"):
        return value
    is_time = str(getattr(value, "dtype", "")).startswith("datetime64")
    return (value.astype("datetime64[us]") if is_time else value).item()


def _is_missing(value: Any) -> bool:
    """Tells whether a value is NaN, NaT or NA."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, decimal.Decimal)) and value != value


def _refused(name: str, value: Any, reason: str) -> AsofError:
    shown = repr(value) if isinstance(value, str) else value
    return AsofError(f"invalid {name!r} {shown}: {reason}", 2, field=name)
