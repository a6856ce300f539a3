"""Tools of the shop."""

import re

CURRENCY = "CHF"
TAX_PERCENT = 8.1
WIDTH = 30
_LINE = re.compile(r"^(?P<count>\d+)x?\s+(?P<item>[a-z ]+?)\s*@\s*(?P<price>\d+(?:\.\d\d?)?)$")


def parse_line(text):
    match = _LINE.match(text.strip().lower())
    if match is None:
        raise ValueError(f"cannot read: {text}")
    return {"count": int(match["count"]), "item": match["item"], "price": to_cents(match["price"])}


def parse_order(text):
    return [parse_line(line) for line in text.splitlines() if line.strip() and not line.startswith("#")]


def to_cents(text):
    whole, _, rest = text.partition(".")
    return int(whole) * 100 + int(rest.ljust(2, "0") or 0)


def line_price(line):
    price = line["count"] * line["price"]
    if line["count"] >= BULK_FROM:
        price -= price * BULK_PERCENT // 100
    return price


BULK_FROM = 10
BULK_PERCENT = 5


def order_price(lines):
    return sum(line_price(line) for line in lines)


def tax_of(price):
    return round(price * TAX_PERCENT / 100)


def money(cents):
    return f"{CURRENCY} {cents // 100}.{cents % 100:02}"


def row(left, right):
    return left + right.rjust(WIDTH - len(left))


def receipt(lines):
    price = order_price(lines)
    rows = [row(f"{line['count']} {line['item']}", money(line_price(line))) for line in lines]
    return "\n".join([*rows, "-" * WIDTH, row("tax", money(tax_of(price))), row("total", money(price + tax_of(price)))])
