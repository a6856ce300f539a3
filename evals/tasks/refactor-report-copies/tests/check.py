import importlib.util
import inspect


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


new, old = load("/app/reports.py", "new"), load("/tests/original.py", "old")
ROWS = [
    {"item": "rye", "count": 3, "price": 420, "cost": 200}, {"item": "wholemeal loaf", "count": 12, "price": 610, "cost": 300},
    {"item": "apple", "count": 0, "price": 70, "cost": 30}, {"item": "bun", "count": 12, "price": 60, "cost": 25},
    {"item": "twelve chars", "count": 400, "price": 99, "cost": 1},
]
for name in ("sales_report", "stock_report", "returns_report"):
    ours, theirs = getattr(new, name), getattr(old, name)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs)), name
    for rows in ([], ROWS, ROWS[:2], ROWS[3:]):
        before = [dict(row) for row in rows]
        assert ours(rows) == theirs(rows), name
        assert ours(rows, title="Week 3") == theirs(rows, title="Week 3"), name
        assert rows == before
with open("/app/reports.py") as file:
    text = file.read()
assert len(text.strip().split("\n")) < 45, "still too long"
assert text.count(".ljust(") <= 3 and text.count("upper()") == 1, "still copied"
assert max(len(line) for line in text.split("\n")) <= 140, "lines too long"
