"""Items of the area drinks."""

ITEMS = {
    "cider": {"unit": "piece", "price": 350},
}
