"""Items of the area bakery."""

ITEMS = {
    "rye": {"unit": "piece", "price": 420},
    "roll": {"unit": "piece", "price": 60},
}
