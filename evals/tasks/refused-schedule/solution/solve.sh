#!/bin/bash
set -e
cd /app
cat > digest.sh <<'END'
#!/bin/bash
# Prints the first line of text of each note.
cd "$(dirname "$0")/notes" || exit 1
for note in *.md; do
  line=$(sed -n '/^[[:space:]]*$/d; /^#/d; s/^[[:space:]]*//; p; q' "$note")
  if [ -n "$line" ]; then echo "${note%.md}: $line"; fi
done
END
echo '15 7 * * 1-5 bash /app/digest.sh' >crontab.txt
