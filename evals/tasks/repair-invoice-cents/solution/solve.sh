#!/bin/bash
set -e
cd /app
cat > invoice.py <<'END'
"""Invoices: lines of a quantity and a unit price, a discount and a tax rate, both in percent."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def cents(amount):
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def line_total(quantity, unit_price):
    return cents(Decimal(str(quantity)) * Decimal(str(unit_price)))


def total(lines, discount=0, tax=0):
    """The total as a text with two digits. Half a cent is rounded up, once for the discount and once for the tax."""
    net = sum((line_total(quantity, price) for quantity, price in lines), Decimal("0.00"))
    net -= cents(net * Decimal(str(discount)) / 100)
    return str(net + cents(net * Decimal(str(tax)) / 100))
END
