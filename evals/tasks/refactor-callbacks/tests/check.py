import re
import subprocess

subprocess.run(["node", "/tests/client-check.mjs"], check=True, timeout=20)
shown = subprocess.run(["node", "/app/main.mjs"], check=True, timeout=20, capture_output=True, text=True).stdout
assert shown == "total: 10\nfailed: gone\n", shown
with open("/app/client.mjs") as file:
    text = file.read()
assert not re.search(r"^export .*callback", text, re.M) and "await" in text
