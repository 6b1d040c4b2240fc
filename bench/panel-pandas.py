"""The real-time panel of bench/panel.mjs with pandas: the latest value known at each month-end, as CSV."""

import sys

import pandas as pd

path, start, end = sys.argv[1:]
facts = pd.read_csv(path, dtype=str, keep_default_na=False)
facts = facts.sort_values(["series_id", "date", "as_of_date"])
facts = facts[facts["value"].ne(facts.groupby(["series_id", "date"])["value"].shift())]

rows = []
for day in pd.date_range(start, end, freq=pd.offsets.MonthEnd()).strftime("%Y-%m-%d"):
    known = facts[facts["as_of_date"] <= day].drop_duplicates(["series_id", "date"], keep="last")
    # What was withdrawn is not known any more: the date before it is the newest again.
    newest = known[known["value"] != ""].drop_duplicates("series_id", keep="last")
    rows.append(newest.assign(as_of=day))
panel = pd.concat(rows)[["as_of", "series_id", "date", "value", "as_of_date"]]
panel.to_csv(sys.stdout, index=False)
