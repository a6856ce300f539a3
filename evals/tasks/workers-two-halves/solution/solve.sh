#!/bin/bash
set -e
cd /app
cat > summarize.py <<'END'
import json
import os
import sys

town = sys.argv[1]
found = []
for name in sorted(os.listdir(f"letters/{town}")):
    lines = open(f"letters/{town}/{name}").read().strip().split("\n")
    wish = next(line for line in lines if line.startswith("I wish for "))
    found.append({"file": name, "from": lines[-1], "wish": wish.removeprefix("I wish for "), "urgent": any("urgent" in line.lower() for line in lines)})
json.dump(found, open(f"{town}.json", "w"), indent=2)
END
python3 summarize.py north
python3 summarize.py south
python3 - <<'END'
import json

towns = {town: json.load(open(f"{town}.json")) for town in ("north", "south")}
lines = [f"{town}: {len(letters)} letters, {sum(each['urgent'] for each in letters)} urgent" for town, letters in towns.items()]
wishes = sorted(each["wish"] for letters in towns.values() for each in letters if each["urgent"])
open("both.md", "w").write("\n".join([*lines, "", *(f"- {wish}" for wish in wishes)]) + "\n")
END
rm summarize.py
