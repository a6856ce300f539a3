import os
import subprocess
import sys


def run(*command, cwd="/app"):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def git(*command):
    return run("git", "-c", "safe.directory=*", *command)


tests = (sys.executable, "-m", "unittest", "discover", "-s", "checks", "-t", ".")
changed = git("diff", "--name-only", "main", "fix-morning").split()
assert "larder/stock/reservations.py" in changed, changed
assert not [file for file in changed if file.startswith("larder/report/")], changed
assert git("diff", "main", "fix-morning", "--", "checks/test_orders.py", "checks/test_report.py", "checks/test_stock.py") == ""
added = [file for file in changed if file.startswith("checks/")]
assert added, "no new test"
git("worktree", "add", "--force", "/logs/tree", "fix-morning")
run(*tests, cwd="/logs/tree")
probe = """
from larder.stock.available import Availability
from larder.stock.reservations import Reservations
from larder.stock.store import Store
store = Store("a", {"milk": 8})
first = Availability(store)
first.reservations.add(store, "milk", 5)
assert Availability(store).of("milk") == 8
kept = []
Reservations(kept).add(store, "milk", 1)
assert Reservations([("a", "milk", 2)]).of(store, "milk") == 2
"""
run(sys.executable, "-c", probe, cwd="/logs/tree")
git("-C", "/logs/tree", "checkout", "--quiet", "main", "--detach")
git("-C", "/logs/tree", "checkout", "--quiet", "fix-morning", "--", *added)
names = [file[:-3].replace("/", ".") for file in added if file.endswith(".py")]
alone = subprocess.run([sys.executable, "-m", "unittest", *names], cwd="/logs/tree", capture_output=True)
assert alone.returncode != 0, "the new test passes without the repair"
