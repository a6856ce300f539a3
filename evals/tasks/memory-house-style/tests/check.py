import re

with open("/app/invoice.txt") as file:
    text = file.read()
lines = [line.strip() for line in text.strip().split("\n")]
assert lines[0] == "INV-0117 / Alder Inn", lines[0]
assert lines[-1] == "Thank you from the mill.", lines[-1]
amounts = re.findall(r"\d+,\d\d", text)
assert "50,40" in amounts and "10,50" in amounts and "60,90" in amounts, amounts
assert not re.search(r"\d\.\d\d", text), "decimal points"
assert text.index("cider") < text.index("rye"), "sorted by item"
