import os

names = sorted(os.listdir("/app/inbox"))
assert len(names) == 12
expected, total = [], 0
for name in names:
    with open(f"/app/inbox/{name}") as file:
        amount = file.read().split("amount: ")[1].strip()
    expected.append(f"{name} {amount}")
    total += int(amount)
with open("/app/ledger.txt") as file:
    assert file.read().splitlines() == expected
with open("/app/sum.txt") as file:
    assert file.read().strip() == str(total)
