import os
import subprocess
import tempfile

EXPECTED = "apples: We have too many.\nbread: The oven needs a new door.\nmy plan: Sell them at the gate.\n"
done = subprocess.run(["bash", "/app/digest.sh"], capture_output=True, text=True, timeout=10, cwd="/")
assert [line.split() for line in done.stdout.splitlines()] == [line.split() for line in EXPECTED.splitlines()], done.stdout
with open("/app/crontab.txt") as file:
    lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
jobs = [line for line in lines if "=" not in line[0]]
assert len(jobs) == 1 and jobs[0][:4] == ["15", "7", "*", "*"] and jobs[0][4].lower() in ("1-5", "mon-fri"), lines
assert "/app/digest.sh" in " ".join(jobs[0][5:])
