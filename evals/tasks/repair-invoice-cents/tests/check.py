import subprocess
import sys

sys.path.insert(0, "/app")
from invoice import total

subprocess.run([sys.executable, "-m", "unittest", "-q"], cwd="/app", check=True)
assert total([("1", "1.005")] * 3) == "3.03"
assert total([("3", "0.335")]) == "1.01"
assert total([("1", "10.00")], discount=10, tax=7.7) == "9.69"
assert total([("1", "0.10")], discount=25) == "0.07"
assert total([("1", "90071992547409.93")] * 3) == "270215977642229.79"
assert total([]) == "0.00"
