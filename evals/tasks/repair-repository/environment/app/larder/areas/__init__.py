"""One module an area, each with its ITEMS: name, unit and price in cents."""

from importlib import import_module

NAMES = ["bakery", "dairy", "drinks", "frozen", "fruit", "household"]


def items():
    found = {}
    for name in NAMES:
        for item, details in import_module(f"larder.areas.{name}").ITEMS.items():
            found[item] = {"area": name, **details}
    return found
