"""Reports as texts of fixed width, for the printer in the office."""


def sales_report(rows, title="Sales"):
    lines = []
    lines.append(title.upper())
    lines.append("=" * len(title))
    total = 0
    for row in sorted(rows, key=lambda row: row["item"]):
        name = row["item"]
        if len(name) > 12:
            name = name[:11] + "~"
        amount = row["count"] * row["price"]
        total += amount
        lines.append(name.ljust(12) + " " + str(row["count"]).rjust(5) + " " + ("%.2f" % (amount / 100)).rjust(9))
    lines.append("-" * 28)
    lines.append("total".ljust(12) + " " + "".rjust(5) + " " + ("%.2f" % (total / 100)).rjust(9))
    return "\n".join(lines) + "\n"


def stock_report(rows, title="Stock"):
    lines = []
    lines.append(title.upper())
    lines.append("=" * len(title))
    total = 0
    for row in sorted(rows, key=lambda row: (-row["count"], row["item"])):
        name = row["item"]
        if len(name) > 12:
            name = name[:11] + "~"
        if row["count"] == 0:
            continue
        amount = row["count"] * row["cost"]
        total += amount
        lines.append(name.ljust(12) + " " + str(row["count"]).rjust(5) + " " + ("%.2f" % (amount / 100)).rjust(9))
    lines.append("-" * 28)
    lines.append("total".ljust(12) + " " + "".rjust(5) + " " + ("%.2f" % (total / 100)).rjust(9))
    return "\n".join(lines) + "\n"


def returns_report(rows, title="Returns"):
    lines = []
    lines.append(title.upper())
    lines.append("=" * len(title))
    total = 0
    for row in sorted(rows, key=lambda row: row["item"]):
        name = row["item"]
        if len(name) > 12:
            name = name[:11] + "~"
        amount = -row["count"] * row["price"]
        total += amount
        lines.append(name.ljust(12) + " " + str(-row["count"]).rjust(5) + " " + ("%.2f" % (amount / 100)).rjust(9))
    lines.append("-" * 28)
    lines.append("total".ljust(12) + " " + "".rjust(5) + " " + ("%.2f" % (total / 100)).rjust(9))
    if total < -10000:
        lines.append("ask the supplier")
    return "\n".join(lines) + "\n"
