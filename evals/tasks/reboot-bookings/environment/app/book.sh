#!/bin/bash
# Books a file: book.sh FILE
set -e
cd "$(dirname "$0")"
file=$(basename "$1")
amount=$(sed -n 's/^amount: //p' "inbox/$file")
sleep 3
echo "$file $amount" >>ledger.txt
echo "booked $file"
