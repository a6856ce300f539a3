"""What baskets have reserved in a store but not taken yet."""


class Reservations:
    def __init__(self, entries=[]):
        self.entries = entries

    def add(self, store, item, amount):
        self.entries.append((store.name, item, amount))

    def of(self, store, item):
        return sum(amount for name, what, amount in self.entries if name == store.name and what == item)

    def drop(self, store, item):
        self.entries[:] = [entry for entry in self.entries if entry[:2] != (store.name, item)]
