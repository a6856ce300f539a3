"""Moves between stores."""


def move(source, target, item, amount):
    source.take(item, amount)
    target.levels[item] = target.level(item) + amount
