"""Items of the area frozen."""

ITEMS = {
    "peas": {"unit": "piece", "price": 240},
}
