import csv
import io
import re
import subprocess
import sys
from datetime import datetime, timedelta, timezone

LINE = re.compile(r'^(\S+) \S+ \S+ \[([^\]]+)\] "[A-Z]+ (\S+) [^"]*" (\d{3}) \d+$')


def visits(text):
    open_visits, done = {}, []
    for line in text.splitlines():
        match = LINE.match(line)
        if match is None or int(match[4]) >= 400 or match[3].startswith("/img/") or match[3] == "/health":
            continue
        at, path = datetime.strptime(match[2], "%d/%b/%Y:%H:%M:%S %z"), match[3].split("?")[0]
        visit = open_visits.get(match[1])
        if visit is None or at - visit["end"] > timedelta(minutes=30):
            visit = open_visits[match[1]] = {"address": match[1], "start": at, "pages": []}
            done.append(visit)
        visit["end"] = at
        if path not in visit["pages"]:
            visit["pages"].append(path)
    shown = lambda at: at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    done.sort(key=lambda each: (each["start"], each["address"]))
    return [[each["address"], shown(each["start"]), shown(each["end"]), " ".join(each["pages"])] for each in done]


def rows(text):
    return [row for row in csv.reader(io.StringIO(text)) if row]


with open("/app/access.log") as file:
    log = file.read()
with open("/app/visits.csv") as file:
    assert rows(file.read()) == [["address", "start", "end", "pages"], *visits(log)]
other = """10.1.1.1 - - [31/Dec/2025:23:40:00 -0500] "GET /b HTTP/1.1" 200 1
10.1.1.1 - - [01/Jan/2026:00:10:00 -0500] "GET /a?x=1 HTTP/1.1" 200 1
half a line
10.1.1.1 - - [01/Jan/2026:00:40:01 -0500] "GET /a HTTP/1.1" 200 1
10.1.1.1 - - [01/Jan/2026:00:41:00 -0500] "POST /gone HTTP/1.1" 404 1
"""
done = subprocess.run([sys.executable, "/app/visits.py"], input=other, capture_output=True, text=True, check=True, timeout=10)
assert rows(done.stdout) == [["address", "start", "end", "pages"], *visits(other)], done.stdout
assert len(rows(done.stdout)) == 3 and "1" in done.stderr
