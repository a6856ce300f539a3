"""Invoices: lines of a quantity and a unit price, a discount and a tax rate, both in percent."""


def line_total(quantity, unit_price):
    return round(float(quantity) * float(unit_price), 2)


def total(lines, discount=0, tax=0):
    """The total as a text with two digits. Half a cent is rounded up, once for the discount and once for the tax."""
    net = 0.0
    for quantity, unit_price in lines:
        net += line_total(quantity, unit_price)
    net -= round(net * discount / 100, 2)
    return "%.2f" % (net + round(net * tax / 100, 2))
