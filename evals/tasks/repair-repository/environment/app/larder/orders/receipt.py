"""The receipt of a basket."""

from larder.orders.delivery import fee
from larder.orders.prices import price


def receipt(lines):
    goods = price(lines)
    return {"goods": goods, "delivery": fee(goods), "total": goods + fee(goods)}
