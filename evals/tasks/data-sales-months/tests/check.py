import json
import subprocess
import sys
import tempfile

EXPECTED = {
    "2025-01": {"sales": 2, "revenue": "3.30"}, "2025-09": {"sales": 3, "revenue": "1216.00"},
    "2025-10": {"sales": 2, "revenue": "3.30"}, "2025-12": {"sales": 1, "revenue": "12.75"},
}
with open("/app/months.json") as file:
    found = json.load(file)
assert found == EXPECTED and list(found) == sorted(found), found
with tempfile.TemporaryDirectory() as place:
    with open(f"{place}/in.csv", "w") as file:
        file.write("till;number;date;amount;state\nC;9;02/03/2026;1'000'000,10;paid\nA;9;02.03.2026;0,1;paid\nA;9;02.03.2026;0,1;paid\n")
    subprocess.run([sys.executable, "/app/months.py", f"{place}/in.csv", f"{place}/out.json"], check=True, timeout=10)
    with open(f"{place}/out.json") as file:
        assert json.load(file) == {"2026-02": {"sales": 1, "revenue": "1000000.10"}, "2026-03": {"sales": 1, "revenue": "0.10"}}
