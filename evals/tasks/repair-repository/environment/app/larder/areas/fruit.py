"""Items of the area fruit."""

ITEMS = {
    "apple": {"unit": "piece", "price": 70},
    "pear": {"unit": "piece", "price": 85},
}
