#!/bin/bash
set -e
cd /app
for file in inbox/*.txt; do
  if ! grep -qs "^$(basename "$file") " ledger.txt; then ./book.sh "$file"; fi
done
awk '{ sum += $2 } END { print sum }' ledger.txt >sum.txt
