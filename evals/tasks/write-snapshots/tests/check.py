import os
import re
import subprocess
import tempfile

NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$")


def snapshot(source, target, keep):
    return subprocess.run(["bash", "/app/snapshot.sh", source, target, str(keep)], capture_output=True, timeout=20).returncode


def snapshots(target):
    return sorted(name for name in os.listdir(target) if NAME.match(name))


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


with tempfile.TemporaryDirectory() as place:
    source, target = os.path.join(place, "my source"), os.path.join(place, "target")
    os.makedirs(os.path.join(source, "deep", "er"))
    os.mkdir(target)
    write(os.path.join(source, "same"), "same")
    write(os.path.join(source, "changed"), "1")
    write(os.path.join(source, "deep", "er", "a\nb c"), "odd")
    write(os.path.join(source, ".hidden"), "h")
    os.chmod(os.path.join(source, "same"), 0o640)
    os.symlink("same", os.path.join(source, "link"))
    write(os.path.join(target, "README"), "keep me")
    os.mkdir(os.path.join(target, "2020-archive"))
    for day in range(1, 4):
        os.mkdir(os.path.join(target, f"2020-01-0{day}T00-00-00Z"))
    assert snapshot(source, target, 3) == 0
    first = snapshots(target)
    assert len(first) == 3 and first[:2] == ["2020-01-02T00-00-00Z", "2020-01-03T00-00-00Z"], first
    write(os.path.join(source, "changed"), "2")
    assert snapshot(source, target, 2) == 0
    names = snapshots(target)
    assert len(names) == 2 and names[0] == first[2], names
    old, new = (os.path.join(target, name) for name in names)
    stat = lambda folder, name: os.lstat(os.path.join(folder, name))
    assert stat(old, "same").st_ino == stat(new, "same").st_ino and stat(new, "same").st_mode & 0o777 == 0o640
    assert stat(old, "deep/er/a\nb c").st_ino == stat(new, "deep/er/a\nb c").st_ino
    assert stat(new, "same").st_ino != stat(source, "same").st_ino
    assert open(os.path.join(old, "changed")).read() == "1" and open(os.path.join(new, "changed")).read() == "2"
    assert os.readlink(os.path.join(new, "link")) == "same" and os.path.exists(os.path.join(new, ".hidden"))
    assert snapshot(os.path.join(place, "missing"), target, 1) == 1
    assert snapshots(target) == names
    assert open(os.path.join(target, "README")).read() == "keep me" and os.path.isdir(os.path.join(target, "2020-archive"))
