"""Tables of a caller, joined and checked: DataFrames of pandas or polars, or rows as dicts."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional

from .answers import Answer, AsofError, Field, pandas_column, polars_column
from .values import cells


def rows_of(table: Any, on: Optional[str] = None) -> List[Dict[str, Any]]:
    """Returns all rows of a table as JSON has them, with an index of days as the first column."""
    given = _columns(table)
    index = _index(table)
    if index is not None and (on in index if on is not None else _has_days(table)):
        given = {**index, **given}
    columns = {name: cells(values) for name, values in given.items()}
    _refuse_empty(columns)
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


class Joining:
    """A table that gets columns; only its days are sent, and its own columns stay as they are."""

    def __init__(self, table: Any, on: Any) -> None:
        self._table = table
        self._columns = _columns(table)
        self._on = str(on)
        index = _index(table) or {}
        known = {**index, **self._columns}
        if not self._columns and not any(len(level) for level in index.values()):
            _refuse_empty({})
        if self._on not in known:
            hints = [f"its columns are {', '.join(self._columns)}"]
            if _has_days(table):
                hints.append(f"on={next(iter(index))!r} takes the days of its index")
            raise AsofError(f"the table has no column {on!r}", 2, field="on", hints=hints)
        self._days = known[self._on]

    def days(self) -> List[Dict[str, Any]]:
        """Returns the days, and in the first row the names of the other columns, which no new column may have."""
        days = cells(self._days)
        _refuse_empty({self._on: days})
        rows: List[Dict[str, Any]] = [{self._on: day} for day in days]
        rows[0] = {**dict.fromkeys(self._columns), **rows[0]}
        return rows

    def joined(self, answer: Answer[Any]) -> Any:
        """Returns the table with the new columns of an answer: a DataFrame of the same kind, or an Answer."""
        added = [field for field in answer.fields if field.name not in self._columns and field.name != self._on]
        kind = _kind(self._table)
        if kind == "pandas":
            frame = self._table.copy()
            for field in added:
                frame[field.name] = pandas_column([row[field.name] for row in answer], field).array
            return frame
        if kind == "polars":
            return self._table.with_columns(
                [polars_column([row[field.name] for row in answer], field) for field in added]
            )
        labels = list(dict.fromkeys(label for row in self._table for label in row))
        fields = [*(Field(label, "any") for label in labels), *added]
        names = [field.name for field in added]
        own = [{label: row.get(label) for label in labels} for row in self._table]
        rows = [{**one, **{name: row[name] for name in names}} for one, row in zip(own, answer)]
        return Answer(rows, fields, answer.about)


def _kind(table: Any) -> str:
    return type(table).__module__.split(".")[0] if hasattr(table, "columns") else "rows"


def _columns(table: Any) -> Dict[str, Any]:
    """Returns the columns of a table by their names."""
    kind = _kind(table)
    if kind == "pandas":
        return {name: table.iloc[:, i] for i, name in enumerate(_names(table.columns))}
    if kind == "polars":
        return {name: table[name] for name in table.columns}
    if isinstance(table, (list, tuple)) and all(isinstance(row, Mapping) for row in table):
        labels = list(dict.fromkeys(label for row in table for label in row))
        return {name: [row.get(label) for row in table] for name, label in zip(_names(labels), labels)}
    reason = "use the path of a file, a DataFrame of pandas or polars, or rows such as [{'day': '2015-01-30'}]"
    raise AsofError(f"invalid 'table' of type {type(table).__name__}: {reason}", 2, field="table")


def _refuse_empty(columns: Mapping[str, List[Any]]) -> None:
    if not any(columns.values()):
        has = "no rows" if columns else "no rows and no columns"
        raise AsofError(f"the table is empty: it has {has}", 2, field="table")


def _names(labels: Iterable[Any]) -> List[str]:
    """Returns the labels of columns as texts; refuses two that are the same text, such as 1 and "1"."""
    names = [str(label) for label in labels]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise AsofError(f"the table has two columns {twice!r}", 2, field="table")
    return names


def _index(table: Any) -> Optional[Dict[str, Any]]:
    """Returns the levels of an index by the names that `reset_index` gives them; None for rows without one."""
    if _kind(table) != "pandas":
        return None
    index = table.index
    if index.nlevels > 1:
        return {str(index.names[i] or f"level_{i}"): index.get_level_values(i) for i in range(index.nlevels)}
    return {str("index" if index.name is None else index.name): index}


def _has_days(table: Any) -> bool:
    return _kind(table) == "pandas" and type(table.index).__name__ in ("DatetimeIndex", "PeriodIndex")
