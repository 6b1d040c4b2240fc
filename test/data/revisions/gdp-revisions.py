"""Revisions of nominal GDP, worked out from FRED's answers without asof.

    python3 gdp-revisions.py

Reads the real-time periods and the vintage dates of ../macro/fred-api, and writes gdp-releases.tsv (the values of each
quarter at some horizons), gdp-triangle.tsv (the values of some quarters as of each vintage) and
gdp-revision-statistics.tsv, and gdp-growth-statistics.tsv for annual rates of growth. Uses the standard library alone.
"""
import gzip
import json
import math
import statistics
from bisect import bisect_left
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, getcontext
from fractions import Fraction
from pathlib import Path

getcontext().prec = 60
here = Path(__file__).parent
api = here.parent / "macro" / "fred-api"
with gzip.open(api / "GDP-observations-all-realtime.json.gz") as file:
    periods = json.load(file)["observations"]
vintages = json.loads((api / "GDP-vintagedates.json").read_text())["vintage_dates"]
last = vintages[-1]
record_begin = vintages[0]


def known(quarter, day):
    """The value of a quarter on a day: that of the real-time period that holds the day."""
    for one in by_quarter[quarter]:
        if one["realtime_start"] <= day <= one["realtime_end"]:
            return None if one["value"] == "." else one["value"]
    return None


by_quarter = {}
for one in periods:
    by_quarter.setdefault(one["date"], []).append(one)
newest_at_begin = max(quarter for quarter in by_quarter if known(quarter, record_begin) is not None)


def first_release(quarter):
    """The first day with a value; None for what may have been published before the record begins."""
    if quarter <= newest_at_begin:
        return None
    return min(one["realtime_start"] for one in by_quarter[quarter] if one["value"] != ".")


def day_of(quarter, horizon):
    if horizon == "final":
        return last
    released = first_release(quarter)
    if released is None:
        return None
    kind, number = horizon.split("_")
    if kind == "release":
        place = bisect_left(vintages, released) + int(number) - 1
        return vintages[place] if place < len(vintages) else None
    day = (date.fromisoformat(released) + timedelta(days=int(number[:-1]))).isoformat()
    return day if day <= last else None


def at(quarter, horizon):
    day = day_of(quarter, horizon)
    return None if day is None else known(quarter, day)


def write(name, header, rows):
    lines = ["\t".join("" if cell is None else str(cell) for cell in row) for row in [header, *rows]]
    (here / name).write_text("\n".join(lines) + "\n")


horizons = ["release_1", "release_2", "release_3", "after_90d", "after_1000d", "final"]
quarters = sorted(by_quarter, reverse=True)
releases = [
    [quarter, first_release(quarter), *(at(quarter, horizon) for horizon in horizons)] for quarter in quarters
]
write("gdp-releases.tsv", ["date", "first_release", *horizons], [row for row in releases if any(row[2:])])

some = [quarter for quarter in quarters if "2007-10-01" <= quarter <= "2009-04-01"]
columns = [day for day in vintages if day >= min(filter(None, map(first_release, some)))]
write(
    "gdp-triangle.tsv",
    ["date", *columns],
    [[quarter, *(known(quarter, day) for day in columns)] for quarter in some],
)


def exact(number, digits):
    decimal = Decimal(number.numerator) / Decimal(number.denominator)
    return str(decimal.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN))


def newey_west_t(revisions):
    """As statsmodels' OLS on a constant with cov_type='HAC', maxlags=lags and use_correction=False."""
    count = len(revisions)
    lags = math.floor(4 * (count / 100) ** (2 / 9))
    mean = sum(revisions) / count
    errors = [one - mean for one in revisions]
    total = sum(error * error for error in errors)
    for lag in range(1, lags + 1):
        weight = 1 - Fraction(lag, lags + 1)
        total += 2 * weight * sum(errors[i] * errors[i - lag] for i in range(lag, count))
    variance = Decimal(total.numerator) / Decimal(total.denominator) / count**2
    return (Decimal(mean.numerator) / Decimal(mean.denominator)) / variance.sqrt()


def sign(text):
    number = Fraction(text)
    return (number > 0) - (number < 0)


def growth(quarter, horizon):
    """The annual rate of growth of the quarter in the vintage of its horizon, as FRED rounds its units pca."""
    day = day_of(quarter, horizon)
    year, month = int(quarter[:4]), int(quarter[5:7])
    before = f"{year - 1}-10-01" if month == 1 else f"{year}-{month - 3:02d}-01"
    if day is None or before not in by_quarter:
        return None
    now, base = known(quarter, day), known(before, day)
    if now is None or base is None:
        return None
    rate = 100 * ((Decimal(now) / Decimal(base)) ** 4 - 1)
    return str(rate.quantize(Decimal("0.00001"), ROUND_HALF_EVEN))


def statistics_of(value):
    rows = []
    for i, earlier in enumerate(horizons):
        for later in horizons[i + 1 :]:
            rows.append(statistics_row(value, earlier, later))
    return rows


def statistics_row(value, earlier, later):
    pairs = [
        (quarter, value(quarter, earlier), value(quarter, later))
        for quarter in sorted(quarters)
        if first_release(quarter) and value(quarter, earlier) and value(quarter, later)
    ]
    revisions = [Fraction(new) - Fraction(old) for _, old, new in pairs]
    count = len(revisions)
    mean = sum(revisions) / count
    spread = statistics.variance(revisions)
    sd = (Decimal(spread.numerator) / Decimal(spread.denominator)).sqrt()
    simple = Decimal(mean.numerator) / Decimal(mean.denominator) / (sd / Decimal(count).sqrt())
    six = Decimal("0.000001")
    return [
        earlier,
        later,
        count,
        pairs[0][0],
        pairs[-1][0],
        exact(mean, 6),
        simple.quantize(six),
        newey_west_t(revisions).quantize(six),
        exact(sum(map(abs, revisions)) / count, 6),
        sd.quantize(six),
        exact(Fraction(sum(one > 0 for one in revisions), count), 4),
        exact(Fraction(sum(sign(old) == sign(new) for _, old, new in pairs), count), 4),
    ]


columns = "earlier later count first_date last_date mean t t_hac mean_absolute sd upward same_sign".split()
write("gdp-revision-statistics.tsv", columns, statistics_of(at))
write("gdp-growth-statistics.tsv", columns, statistics_of(growth))
