import hashlib
import os

STEPS = "clean flour dough rest shape proof bake cool slice pack".split()
lines = []
for at, step in enumerate(STEPS):
    with open(f"/app/recipes/{step}.ini", "rb") as file:
        recipe = file.read()
    minutes = 30 if step == "pack" else 5 + 3 * at
    lines.append(f"{step} {minutes} {hashlib.sha256(recipe).hexdigest()[:12]}\n")
with open("/app/dist/bread.txt") as file:
    assert file.read() == "".join(lines)
with open("/app/step.sh", "rb") as file:
    assert hashlib.sha256(file.read()).hexdigest() == "ee5cc3da9eae59164f52a8fd778be26165b83bcf82d94e141564f33d8100d41e", "step.sh was edited"
with open("/app/FIXED.md") as file:
    text = file.read()
assert "bake" in text and "pack" in text
times = [os.stat(f"/app/out/{step}.txt").st_mtime for step in STEPS]
assert times == sorted(times)
