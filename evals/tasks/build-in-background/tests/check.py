import json
import os

with open("/app/report.json") as file:
    report = json.load(file)
names = sorted(os.listdir("/app/tiles"))
assert len(names) == 20, names
size = sum(os.path.getsize(f"/app/tiles/{name}") for name in names)
assert report == {"tiles": 20, "bytes": size, "first": "centre 1 Ines Vogel"}, report
for name in names:
    with open(f"/app/tiles/{name}") as file:
        assert file.read() == name[:-4].replace("-", " ") + " Ines Vogel\n", name
with open("/app/status") as file:
    assert file.read() == "done\n"
