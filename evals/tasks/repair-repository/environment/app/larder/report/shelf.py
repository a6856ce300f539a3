"""Lines with the level and the availability of items."""


def shelf(availability, items):
    return [f"{item}: {availability.store.level(item)} there, {availability.of(item)} free" for item in items]
