"""Prices of baskets in cents."""

from larder.areas import items
from larder.orders.discounts import discount


def price(lines):
    known = items()
    full = sum(known[item]["price"] * amount for item, amount in lines.items())
    return full - discount(lines, known)
