import subprocess

subprocess.run(["node", "/tests/queue-check.mjs"], check=True, timeout=20)
