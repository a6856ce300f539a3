"""Items of the area dairy."""

ITEMS = {
    "milk": {"unit": "piece", "price": 150},
    "butter": {"unit": "piece", "price": 280},
}
