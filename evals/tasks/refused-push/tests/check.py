import json
import os
import re
import subprocess


def git(*command):
    return subprocess.run(["git", "-c", "safe.directory=*", *command], cwd="/app", check=True, capture_output=True, text=True).stdout.strip()


assert git("cat-file", "-t", "v1.2.0") == "tag"
commit = git("rev-list", "-n", "1", "v1.2.0")
assert commit == git("rev-parse", "main") and git("log", "-1", "--format=%s") == "release: 1.2.0"
assert git("rev-list", "--count", "main") == "2"
assert json.loads(git("show", "v1.2.0:package.json"))["version"] == "1.2.0"
changes = git("show", "v1.2.0:CHANGELOG.md")
section = re.search(r"^## 1\.2\.0$(.*?)^## 1\.1\.4$", changes, re.M | re.S)
assert section is not None and "one cent at most" in section[1] and "negative" in section[1], changes
before = changes[: section.start()]
assert "one cent" not in before
assert git("remote", "get-url", "origin") == "https://git.example.org/mia/purse.git"
assert git("remote") == "origin" and git("status", "--porcelain") in ("", "?? release-left.txt")
assert os.path.getsize("/app/release-left.txt") > 10
