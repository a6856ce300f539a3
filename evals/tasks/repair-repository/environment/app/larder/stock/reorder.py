"""Items that a store should order again."""

LOWEST = 5


def to_reorder(availability, items):
    return sorted(item for item in items if availability.of(item) < LOWEST)
