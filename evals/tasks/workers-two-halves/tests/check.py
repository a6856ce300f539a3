import json

LETTERS = {
    "north": [("1.txt", "Ruth", "a new bell", False), ("2.txt", "Otto", "less snow", True), ("3.txt", "Vera", "two goats", False)],
    "south": [("1.txt", "Karl", "a bridge", True), ("2.txt", "Lena", "more bread", False), ("3.txt", "Max", "a doctor", True), ("4.txt", "Nina", "a swing", False)],
}
for town, letters in LETTERS.items():
    with open(f"/app/{town}.json") as file:
        found = json.load(file)
    assert [(each["file"].split("/")[-1], each["from"], each["wish"], each["urgent"]) for each in found] == letters, found
with open("/app/both.md") as file:
    lines = [line.strip() for line in file if line.strip()]
assert lines[:2] == ["north: 3 letters, 1 urgent", "south: 4 letters, 2 urgent"], lines
assert [line.lstrip("-* ") for line in lines if line[0] in "-*"] == ["a bridge", "a doctor", "less snow"], lines
