#!/bin/bash
set -e
cd /app
make all || true
sed -i 's/name = bakes/name = bake/' recipes/bake.ini
make all || true
sed -i 's/minutes = thirty/minutes = 30/' recipes/pack.ini
make all
printf '%s\n' '- recipes/bake.ini: the name was bakes, not bake' '- recipes/pack.ini: minutes was a word, not a number' >FIXED.md
