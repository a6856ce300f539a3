#!/bin/bash
set -e
cd /app
cat > visits.py <<'END'
"""Reads a log from standard input and writes its visits as CSV."""

import csv
import re
import sys
from datetime import datetime, timedelta, timezone

LINE = re.compile(r'^(\S+) \S+ \S+ \[([^\]]+)\] "[A-Z]+ (\S+) [^"]*" (\d{3}) (?:\d+|-)$')
PAUSE = timedelta(minutes=30)


def text_of(at):
    return at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


current, visits, skipped = {}, [], 0
for line in sys.stdin:
    match = LINE.match(line.rstrip("\n"))
    if match is None:
        skipped += 1
        continue
    address, time, path, status = match.groups()
    if int(status) >= 400 or path.startswith("/img/") or path == "/health":
        continue
    at, page = datetime.strptime(time, "%d/%b/%Y:%H:%M:%S %z"), path.split("?")[0]
    visit = current.get(address)
    if visit is None or at - visit[2] > PAUSE:
        visit = current[address] = [address, at, at, []]
        visits.append(visit)
    visit[2] = at
    if page not in visit[3]:
        visit[3].append(page)
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["address", "start", "end", "pages"])
for address, start, end, pages in sorted(visits, key=lambda visit: (visit[1], visit[0])):
    out.writerow([address, text_of(start), text_of(end), " ".join(pages)])
print(f"{skipped} lines skipped", file=sys.stderr)
END
python3 visits.py <access.log >visits.csv
