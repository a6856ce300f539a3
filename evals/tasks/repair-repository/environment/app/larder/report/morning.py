"""The page of a store."""

from larder.report.shelf import shelf
from larder.stock.available import Availability
from larder.stock.reorder import to_reorder


def morning(store, items):
    availability = Availability(store)
    return "\n".join([f"# {store.name}", *shelf(availability, items), "order: " + ", ".join(to_reorder(availability, items))])
