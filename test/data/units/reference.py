"""Transforms values by FRED's documented formulas without asof: fractions, and decimals of 60 digits.

python3 reference.py values.csv > expected.csv

`values.csv` has lines `series_id,date,value` of one vintage of quarterly or monthly series; the answer has lines
`series_id,frequency,units,date,value`. FRED's formulas: https://fredhelp.stlouisfed.org, "What Formulas are Used to
Calculate Growth Rates?"; its aggregation: "How are Missing Values Determined for First/Last Observations?".
"""

import csv
import sys
from decimal import ROUND_HALF_EVEN, Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
PERIODS = {"Q": 4, "M": 12, "A": 1}


def months_before(date, months):
    index = int(date[:4]) * 12 + int(date[5:7]) - 1 - months
    return f"{index // 12}-{index % 12 + 1:02d}-01"


def rounded(number, digits):
    if isinstance(number, Fraction):
        number = round(number * 10**digits)  # half to even
        return str(Decimal(number).scaleb(-digits).quantize(Decimal(1).scaleb(-digits)))
    return str(number.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN))


def log(fraction):
    return (Decimal(fraction.numerator) / Decimal(fraction.denominator)).ln()


def transformed(units, now, period_ago, year_ago, n, digits):
    if units == "log":
        return rounded(log(now), 5)
    base = year_ago if units in ("ch1", "pc1") else period_ago
    if base is None:
        return None
    if units in ("chg", "ch1"):
        return rounded(now - base, digits)
    if units in ("pch", "pc1"):
        return rounded((now / base - 1) * 100, 5)
    if units == "pca":
        return rounded(((now / base) ** n - 1) * 100, 5)
    return rounded((log(now) - log(base)) * 100 * (n if units == "cca" else 1), 5)


def aggregated(values, step):
    years = {}
    for date, value in values.items():
        years.setdefault(date[:4] + "-01-01", []).append(value)
    return {year: sum(all) / len(all) for year, all in years.items() if len(all) == 12 // step}


series = {}
decimals = {}
for series_id, date, text in csv.reader(open(sys.argv[1])):
    if date == "date":
        continue
    series.setdefault(series_id, {})[date] = Fraction(text)
    decimals[series_id] = max(decimals.get(series_id, 0), len(text.partition(".")[2]))

print("series_id,frequency,units,date,value")
for series_id, values in series.items():
    dates = sorted(values)
    step = min((int(b[:4]) - int(a[:4])) * 12 + int(b[5:7]) - int(a[5:7]) for a, b in zip(dates, dates[1:]))
    own = {1: "M", 3: "Q"}[step]
    for frequency, months, known in (("", step, values), ("a", 12, aggregated(values, step))):
        for units in ("chg", "ch1", "pch", "pc1", "pca", "cch", "cca", "log"):
            for date in sorted(known):
                period_ago, year_ago = known.get(months_before(date, months)), known.get(months_before(date, 12))
                n = PERIODS["A" if frequency else own]
                text = transformed(units, known[date], period_ago, year_ago, n, decimals[series_id])
                if text is not None:
                    print(f"{series_id},{frequency},{units},{date},{text}")
