#!/bin/bash
set -e
cd /app
cat > reports.py <<'END'
"""Reports as texts of fixed width, for the printer in the office."""


def _line(name, count, amount):
    return name.ljust(12) + " " + str(count).rjust(5) + " " + ("%.2f" % (amount / 100)).rjust(9)


def _report(title, entries):
    """The text of entries of name, count and amount, and the sum of the amounts."""
    total = sum(amount for _, _, amount in entries)
    lines = [title.upper(), "=" * len(title)]
    lines += [_line(name if len(name) <= 12 else name[:11] + "~", count, amount) for name, count, amount in entries]
    lines += ["-" * 28, _line("total", "", total)]
    return "\n".join(lines) + "\n", total


def _by_name(rows):
    return sorted(rows, key=lambda row: row["item"])


def sales_report(rows, title="Sales"):
    return _report(title, [(row["item"], row["count"], row["count"] * row["price"]) for row in _by_name(rows)])[0]


def stock_report(rows, title="Stock"):
    kept = sorted((row for row in rows if row["count"] != 0), key=lambda row: (-row["count"], row["item"]))
    return _report(title, [(row["item"], row["count"], row["count"] * row["cost"]) for row in kept])[0]


def returns_report(rows, title="Returns"):
    entries = [(row["item"], -row["count"], -row["count"] * row["price"]) for row in _by_name(rows)]
    text, total = _report(title, entries)
    return text + "ask the supplier\n" if total < -10000 else text
END
