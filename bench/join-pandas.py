"""The join of bench/join.mjs with pandas: what was known on the day of each row, by merge_asof, as CSV."""

import sys

import pandas as pd

path, trades, *ids = sys.argv[1:]
facts = pd.read_csv(path, dtype=str, keep_default_na=False)
facts = facts[facts["series_id"].isin(ids)]
facts["as_of_date"] = pd.to_datetime(facts["as_of_date"])
facts = facts.sort_values(["series_id", "as_of_date", "date"])
rows = pd.read_csv(trades, dtype={"price": str}, parse_dates=["day"])

for series_id in ids:
    known = {}
    newest = []
    # What is known changes only on the days of publication.
    for day, changes in facts[facts["series_id"] == series_id].groupby("as_of_date"):
        for date, value in zip(changes["date"], changes["value"]):
            if value == "":
                known.pop(date, None)
            else:
                known[date] = value
        newest.append((day, known[max(known)] if known else ""))
    rows = pd.merge_asof(rows, pd.DataFrame(newest, columns=["day", series_id]), on="day")
rows.to_csv(sys.stdout, index=False, date_format="%Y-%m-%d")
