#!/bin/bash
set -e
cd /app
cat > months.py <<'END'
"""Sums the sales of an export by month: months.py IN.csv OUT.json"""

import csv
import json
import sys
from datetime import datetime
from decimal import Decimal

FORMATS = {"A": "%d.%m.%Y", "B": "%Y-%m-%d", "C": "%m/%d/%Y"}


def main(source, target):
    with open(source, newline="") as file:
        sales = {(row["till"], row["number"]): row for row in csv.DictReader(file, delimiter=";")}
    months = {}
    for row in sales.values():
        if row["state"] == "void" or row["amount"] == "":
            continue
        month = datetime.strptime(row["date"], FORMATS[row["till"]]).strftime("%Y-%m")
        count, sum_ = months.get(month, (0, Decimal("0.00")))
        months[month] = (count + 1, sum_ + Decimal(row["amount"].replace("'", "").replace(",", ".")))
    result = {month: {"sales": count, "revenue": f"{amount:.2f}"} for month, (count, amount) in sorted(months.items())}
    with open(target, "w") as file:
        json.dump(result, file, indent=2)


main(*sys.argv[1:])
END
python3 months.py sales.csv months.json
