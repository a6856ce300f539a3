import os
import subprocess
import tempfile

SCRIPT = "/app/rotate.sh"


def rotated(files, keep, times=1):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        for _ in range(times):
            subprocess.run(["bash", SCRIPT, folder, str(keep)], check=True, timeout=10)
        return {name: open(os.path.join(folder, name)).read() for name in os.listdir(folder)}


assert rotated({"a.log": "new", "a.log.1": "old", "notes.txt": "n"}, 2) == {
    "a.log": "", "a.log.1": "new", "a.log.2": "old", "notes.txt": "n"}
assert rotated({"a.log": "new", "a.log.1": "1", "a.log.2": "2"}, 2) == {"a.log": "", "a.log.1": "new", "a.log.2": "1"}
assert rotated({"my web.log": "x", "b.log": "y"}, 1) == {"my web.log": "", "my web.log.1": "x", "b.log": "", "b.log.1": "y"}
assert rotated({"a.log": "x", "a.log.1": "1"}, 0) == {"a.log": ""}
many = {"a.log": "0", **{f"a.log.{n}": str(n) for n in range(1, 11)}}
assert rotated(many, 10) == {"a.log": "", **{f"a.log.{n}": str(n - 1) for n in range(1, 11)}}
assert rotated({"a.login": "keep", "a.log.gz": "keep"}, 3) == {"a.login": "keep", "a.log.gz": "keep"}
assert rotated({}, 3) == {}
