#!/bin/bash
set -e
cd /app
wait_for_it() { until grep -qE 'done|failed' status; do sleep 5; done; }
./assemble.sh start
wait_for_it
if grep -q failed status; then
  sed -n 's/^Mapmaker: //p' CREDITS >legend.txt
  ./assemble.sh start
  wait_for_it
fi
printf '{"tiles": %s, "bytes": %s, "first": "%s"}\n' "$(ls tiles | wc -l)" "$(cat tiles/* | wc -c)" "$(head -1 tiles/centre-1.txt)" >report.json
