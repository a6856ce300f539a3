#!/bin/bash
# Does one step by its recipe. Each takes as long as it takes.
set -e
sleep 20
mkdir -p out
grep -q "^name = $1$" "recipes/$1.ini" || { echo "recipes/$1.ini: the name is not $1" >&2; exit 1; }
minutes=$(sed -n 's/^minutes = \([0-9][0-9]*\)$/\1/p' "recipes/$1.ini")
[ -n "$minutes" ] || { echo "recipes/$1.ini: minutes is not a number" >&2; exit 1; }
printf '%s %s %s\n' "$1" "$minutes" "$(sha256sum <"recipes/$1.ini" | cut -c1-12)" >"out/$1.txt"
