import json
import sqlite3

with open("/app/answers.json") as file:
    answers = json.load(file)
assert answers["revenue"] == {"CH": 1201, "DE": 4000}, answers
assert answers["silent"] == ["Dan", "Eve", "Fay"] and answers["orphans"] == [6], answers
before = sqlite3.connect("file:/app/shop.db?mode=ro", uri=True)
assert before.execute("select count(*) from sqlite_master where type = 'index'").fetchone() == (0,)
assert before.execute("select count(*), sum(cents) from orders").fetchone() == (8, 14400)
fast = sqlite3.connect("file:/app/shop-fast.db?mode=ro", uri=True)
assert fast.execute("select count(*), sum(cents) from orders").fetchone() == (8, 14400)
plan = fast.execute("explain query plan select * from orders where customer = 2 and state = 'paid'").fetchall()
assert any("USING INDEX" in step[-1] or "USING COVERING INDEX" in step[-1] for step in plan), plan
