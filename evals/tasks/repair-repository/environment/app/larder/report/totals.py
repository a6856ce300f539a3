"""Value of a store in cents."""

from larder.areas import items


def value(store):
    known = items()
    return sum(known[item]["price"] * level for item, level in store.levels.items())
