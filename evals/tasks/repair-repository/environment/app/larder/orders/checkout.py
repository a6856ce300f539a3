"""Takes the items of a basket from the store."""

from larder.orders.prices import price


def check_out(basket):
    for item, amount in basket.lines.items():
        basket.store.take(item, amount)
        basket.availability.reservations.drop(basket.store, item)
    return price(basket.lines)
