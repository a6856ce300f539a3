"""A basket of a customer in one store."""


class Basket:
    def __init__(self, store, availability):
        self.store = store
        self.availability = availability
        self.lines = {}

    def add(self, item, amount):
        if amount > self.availability.of(item):
            return False
        self.availability.reservations.add(self.store, item, amount)
        self.lines[item] = self.lines.get(item, 0) + amount
        return True
