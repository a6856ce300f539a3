"""What a store can still sell."""

from larder.stock.reservations import Reservations


class Availability:
    def __init__(self, store, reservations=None):
        self.store = store
        self.reservations = Reservations() if reservations is None else reservations

    def of(self, item):
        return self.store.level(item) - self.reservations.of(self.store, item)
