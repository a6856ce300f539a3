import json

with open("/app/answer.json") as file:
    answer = json.load(file)
assert answer["preheat_minutes"] == 15 and answer["steam_firmware"] == 44
assert (answer["steam_since"], answer["migrate"]) == ("3.3", "3.4")
PAGES = {"preheat_minutes": "3.4", "steam_firmware": "3.4", "steam_since": "3.3", "migrate": "3.5"}
for field, version in PAGES.items():
    assert f"http://127.0.0.1:8931/notes/{version}.html" in answer["sources"][field], field
