"""Fee of a delivery in cents."""

FREE_FROM = 5000
FEE = 490


def fee(price):
    return 0 if price >= FREE_FROM else FEE
