#!/bin/bash
set -e
cd /app
cat > rotate.sh <<'END'
#!/bin/bash
# Rotates the logs of a folder: rotate.sh DIR KEEP
shopt -s nullglob
dir=$1
keep=$2
for log in "$dir"/*.log; do
  for old in "$log".*; do
    number=${old##*.}
    if [[ $number =~ ^[0-9]+$ ]] && ((number >= keep)); then rm -f -- "$old"; fi
  done
  for ((i = keep - 1; i >= 1; i--)); do
    if [ -e "$log.$i" ]; then mv -- "$log.$i" "$log.$((i + 1))"; fi
  done
  if ((keep > 0)); then mv -- "$log" "$log.1"; fi
  : >"$log"
done
exit 0
END
