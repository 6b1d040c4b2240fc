"""What a question gives: rows with their types, notes, or a failure."""

from __future__ import annotations

import datetime
import decimal
import functools
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, NoReturn, Optional, Sequence, Tuple, TypeVar

Row = TypeVar("Row")


class AsofError(Exception):
    """A failure that asof explains; its text is the reason and the hints.

    `code` is the exit code of the command: 2 a bad value, 3 not found, 4 no key or a bad one, 5 the plan, 6 the
    quota, 7 unreachable, 8 the service failed, 9 refused by `exact` or `max_age`, 10 a local file, 70 a bug in asof.
    """

    def __init__(
        self,
        detail: str,
        code: int,
        *,
        kind: str = "bad-input",
        hints: Sequence[str] = (),
        field: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__("\n  ".join([detail, *hints]))
        self.detail = detail
        self.code = code
        #: What went wrong, for programs: `not-found`, `bad-input`, `unreachable` and the like.
        self.kind = kind
        #: What to do.
        self.hints = list(hints)
        #: The parameter that was refused.
        self.field = "from_" if field == "from" else field
        #: The id of the request, for support.
        self.request_id = request_id

    def __reduce__(self) -> Tuple[Any, ...]:
        # A pool of processes waits for ever for an exception that cannot be unpickled.
        about = {"kind": self.kind, "hints": self.hints, "field": self.field, "request_id": self.request_id}
        return _error, (self.detail, self.code, about)


def _error(detail: str, code: int, about: Dict[str, Any]) -> AsofError:
    return AsofError(detail, code, **about)


def closed() -> AsofError:
    """Returns the failure of a question after `close`."""
    return AsofError("this Asof was closed", 2)


class AsofNote(UserWarning):
    """What people should know of an answer besides its rows, such as that a series is sampled."""


class Field(NamedTuple):
    """A column of an answer."""

    name: str
    #: text, decimal, day, instant, moment, integer, double, timestamp, boolean, list, records, or any.
    type: str
    #: The columns of the rows in a cell, where the type is `records`.
    fields: Tuple[Any, ...] = ()


class Answer(List[Row]):
    """The rows of an answer, as dicts; an answer is a list."""

    def __init__(self, rows: Sequence[Row], fields: Sequence[Field], about: Mapping[str, Any]) -> None:
        super().__init__(rows)
        #: The columns, in their order.
        self.fields = list(fields)
        #: What the answer says besides its rows, such as `as_of`, `vintage` and `basis`.
        self.about = dict(about)
        #: What people should know of the answer; each is a warning, too, except that a check found nothing.
        self.notes: List[str] = list(about.get("notes", []))
        #: True if there are more rows than `limit`.
        self.has_more: bool = about.get("has_more", False)
        #: The value of `cursor` that continues the answer.
        self.next_cursor: Optional[str] = about.get("next_cursor")

    def to_pandas(self, exact: bool = False) -> Any:
        """Returns a pandas DataFrame; numbers are float64, or with `exact` Decimal objects."""
        import pandas  # type: ignore[import]

        cells = {field: [row[field.name] for row in self] for field in self.fields}  # type: ignore[index]
        return pandas.DataFrame({field.name: pandas_column(cells[field], field, exact) for field in cells})

    def to_polars(self) -> Any:
        """Returns a polars DataFrame; numbers are Float64."""
        import polars  # type: ignore[import]

        return polars.DataFrame(
            [polars_column([row[field.name] for row in self], field) for field in self.fields]  # type: ignore[index]
        )


def answer_of(message: Mapping[str, Any]) -> Answer[Dict[str, Any]]:
    """Makes an answer of a message, whose rows are lists of cells; refuses one that asof does not write."""
    try:
        return _answer_of(message)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise AsofError(f"the answer is none of asof: {reason}", 8, kind="bad-answer") from None


def _answer_of(message: Mapping[str, Any]) -> Answer[Dict[str, Any]]:
    fields = [_field(one) for one in message["fields"]]
    about = {name: value for name, value in message.items() if name not in ("id", "fields", "rows")}
    columns = [(field.name, _reader(field)) for field in fields]
    if any(len(cells) != len(columns) for cells in message["rows"]):
        raise ValueError(f"a row has more or fewer cells than the {len(columns)} columns")
    rows = [
        {name: read(cell) if read and cell is not None else cell for (name, read), cell in zip(columns, cells)}
        for cells in message["rows"]
    ]
    return Answer(rows, fields, about)


def _field(declared: Mapping[str, Any]) -> Field:
    return Field(declared["name"], declared["type"], tuple(_field(one) for one in declared.get("fields", ())))


def _reader(field: Field) -> Optional[Callable[[Any], Any]]:
    if field.type != "records":
        return _readers.get(field.type)
    columns = [(one.name, _reader(one)) for one in field.fields]

    def read(entries: Sequence[Mapping[str, Any]]) -> List[Dict[str, Any]]:
        found = [{name: entry.get(name) for name, _ in columns} for entry in entries]
        for entry in found:
            for name, inner in columns:
                if inner and entry[name] is not None:
                    entry[name] = inner(entry[name])
        return found

    return read


# Many rows share few days.
@functools.lru_cache(maxsize=65_536)
def _day(text: str) -> Optional[datetime.date]:
    # Another service writes an unknown day as an empty text.
    return datetime.date.fromisoformat(text[:10]) if text else None


def _time(text: str) -> Any:
    if len(text) <= 10 or re.fullmatch(r"[^T]*T00:00:00Z", text):
        return _day(text)
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return text


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


_readers: Dict[str, Callable[[str], Any]] = {
    "decimal": decimal.Decimal,
    "day": _day,
    "instant": _time,
    "moment": _moment,
    "timestamp": _time,
}


#: The number of 1970-01-01, from which numpy counts days.
_first_day = datetime.date(1970, 1, 1).toordinal()


def pandas_column(values: Sequence[Any], field: Field, exact: bool = False) -> Any:
    """Returns a column of an answer as pandas has it; the type follows from the field alone."""
    import numpy
    import pandas

    if field.type == "day":
        # From their numbers, which is ten times faster than from dates.
        missing = numpy.iinfo("int64").min
        most = numpy.iinfo("int64").max // 86_400_000_000_000
        outside = next((day for day in values if day and abs(day.toordinal() - _first_day) > most), None)
        if outside is not None:
            reason = f"the column {field.name!r} has {outside}, and a datetime64[ns] of pandas is from 1677-09-22 to 2262-04-11"
            raise AsofError(reason, 2, hints=["the answer itself and to_polars() take every day"])
        days = [missing if day is None else day.toordinal() - _first_day for day in values]
        return pandas.Series(numpy.array(days, dtype="int64").view("datetime64[D]")).astype("datetime64[ns]")
    if field.type == "moment":
        return pandas.to_datetime(pandas.Series(values, dtype=object), utc=True)
    types = {"decimal": object if exact else float, "double": float, "integer": "Int64", "boolean": "boolean"}
    return pandas.Series(values, dtype=types.get(field.type, object))


def polars_column(values: Sequence[Any], field: Field) -> Any:
    """Returns a column of an answer as polars has it; the type follows from the field alone."""
    import polars

    if field.type == "decimal":
        values = [None if value is None else float(value) for value in values]
    types = {
        "decimal": polars.Float64,
        "double": polars.Float64,
        "day": polars.Date,
        "moment": polars.Datetime("us", "UTC"),
        "integer": polars.Int64,
        "boolean": polars.Boolean,
        "text": polars.Utf8,
    }
    return polars.Series(str(field.name), values, dtype=types.get(field.type))


def raise_problem(problem: Mapping[str, Any]) -> NoReturn:
    """Raises the failure that a message states."""
    about = {name: problem.get(name) for name in ("field", "request_id")}
    hints = problem.get("hints", [])
    kind = "bad-input" if problem["kind"] == "validation-error" else problem["kind"]
    raise AsofError(problem["detail"], problem["code"], kind=kind, hints=hints, **about)
