"""Six of the same item cost as much as five."""


def discount(lines, known):
    return sum(known[item]["price"] * (amount // 6) for item, amount in lines.items())
