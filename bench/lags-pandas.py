"""The panel of lags of bench/lags.mjs with pandas: the three newest values known on each business day, as wide CSV."""

import sys

import pandas as pd

path, start, end = sys.argv[1:]
facts = pd.read_csv(path, dtype=str, keep_default_na=False)
facts["as_of_date"] = pd.to_datetime(facts["as_of_date"])
facts = facts.sort_values(["series_id", "as_of_date", "date"])
days = pd.DataFrame({"as_of": pd.bdate_range(start, end)})

panel = days
for series_id, own in facts.groupby("series_id"):
    known = {}
    rows = []
    # What is known changes only on the days of publication.
    for day, changes in own.groupby("as_of_date"):
        for date, value in zip(changes["date"], changes["value"]):
            if value == "":
                known.pop(date, None)
            else:
                known[date] = value
        newest = sorted(known, reverse=True)[:3]
        rows.append((day, *(known[date] for date in newest), *([""] * (3 - len(newest)))))
    names = [series_id, f"{series_id}_lag1", f"{series_id}_lag2"]
    column = pd.DataFrame(rows, columns=["as_of", *names])
    panel = pd.merge_asof(panel, column, on="as_of")
panel.to_csv(sys.stdout, index=False, date_format="%Y-%m-%d")
