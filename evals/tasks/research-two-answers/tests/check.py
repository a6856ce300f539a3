import re

with open("/app/bridge.md") as file:
    text = file.read()
assert re.search(r"\b18[ -]?(t\b|tonne|ton)", text), "the weight"
for day in (r"(12 January|January 12|2026-01-12)", r"(27 February|February 27|2026-02-27)"):
    assert re.search(day, text), day
for name in ("orders/2025-41.html", "orders/2026-03.html", "news/bridge.html", "visit/lorries.html"):
    assert f"http://127.0.0.1:8932/{name}" in text, name
follows, other = (text.index(f"http://127.0.0.1:8932/{name}") for name in ("orders/2026-03.html", "news/bridge.html"))
assert follows < other, "the pages that count come first"
assert len(text) < 4000
