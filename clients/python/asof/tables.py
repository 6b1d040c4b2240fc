"""Tables of a caller, joined and checked: DataFrames of pandas or polars, or rows as dicts."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from .answers import Answer, AsofError, Field, pandas_column, polars_column
from .values import cells


def rows_of(table: Any) -> List[Dict[str, Any]]:
    """Returns all rows of a table as JSON has them."""
    columns = {name: cells(values) for name, values in _columns(table).items()}
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


class Joining:
    """A table that gets columns; only its days are sent, and its own columns stay as they are."""

    def __init__(self, table: Any, on: str) -> None:
        self._table = table
        self._columns = _columns(table)
        if on not in self._columns:
            names = ", ".join(self._columns)
            raise AsofError(f"the table has no column {on!r}", 2, field="on", hints=[f"its columns are {names}"])
        self._on = on

    def days(self) -> List[Dict[str, Any]]:
        """Returns the days, and in the first row the names of the other columns, which no new column may have."""
        rows: List[Dict[str, Any]] = [{self._on: day} for day in cells(self._columns[self._on])]
        if rows:
            rows[0] = {**dict.fromkeys(self._columns), **rows[0]}
        return rows

    def joined(self, answer: Answer[Any]) -> Any:
        """Returns the table with the new columns of an answer: a DataFrame of the same kind, or an Answer."""
        added = [field for field in answer.fields if field.name not in self._columns]
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
        fields = [*(Field(name, "any") for name in self._columns), *added]
        names = [field.name for field in added]
        own = [{name: row.get(name) for name in self._columns} for row in self._table]
        rows = [{**one, **{name: row[name] for name in names}} for one, row in zip(own, answer)]
        return Answer(rows, fields, answer.about)


def _kind(table: Any) -> str:
    return type(table).__module__.split(".")[0] if hasattr(table, "columns") else "rows"


def _columns(table: Any) -> Dict[str, List[Any]]:
    kind = _kind(table)
    if kind == "pandas":
        twice = table.columns[table.columns.duplicated()]
        if len(twice) > 0:
            raise AsofError(f"the table has two columns {twice[0]!r}", 2, field="table")
        return {str(name): table[name].tolist() for name in table.columns}
    if kind == "polars":
        return {name: table[name].to_list() for name in table.columns}
    if isinstance(table, (list, tuple)) and all(isinstance(row, Mapping) for row in table):
        names = dict.fromkeys(str(name) for row in table for name in row)
        return {name: [row.get(name) for row in table] for name in names}
    reason = "use the path of a file, a DataFrame of pandas or polars, or rows such as [{'day': '2015-01-30'}]"
    raise AsofError(f"invalid 'table' of type {type(table).__name__}: {reason}", 2, field="table")
