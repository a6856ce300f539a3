"""A store with the level of each item."""


class Store:
    def __init__(self, name, levels):
        self.name = name
        self.levels = dict(levels)

    def level(self, item):
        return self.levels.get(item, 0)

    def take(self, item, amount):
        if amount > self.level(item):
            raise ValueError(f"{self.name} has only {self.level(item)} of {item}")
        self.levels[item] = self.level(item) - amount
