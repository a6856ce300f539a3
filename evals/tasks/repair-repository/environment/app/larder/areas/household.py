"""Items of the area household."""

ITEMS = {
    "soap": {"unit": "piece", "price": 190},
}
