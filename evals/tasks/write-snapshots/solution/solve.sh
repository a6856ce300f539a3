#!/bin/bash
set -e
cd /app
cat > snapshot.sh <<'END'
#!/bin/bash
# Makes a snapshot of a folder with hard links to unchanged files: snapshot.sh SOURCE TARGET KEEP
source=$1
target=$2
keep=$3
shopt -s nullglob
name='[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]-[0-9][0-9]-[0-9][0-9]Z'

existing=("$target"/$name)
newest=${existing[-1]:-}
while now=$(date -u +%Y-%m-%dT%H-%M-%SZ) && [ -e "$target/$now" ]; do sleep 0.1; done
unfinished=$target/.unfinished-$$
fail() {
  rm -rf -- "$unfinished"
  echo "snapshot.sh: $1" >&2
  exit 1
}
cp -a -- "$source/." "$unfinished" || fail "cannot copy $source"
if [ -n "$newest" ]; then
  while IFS= read -r -d '' file; do
    before=$newest/$file
    after=$unfinished/$file
    if [ -f "$before" ] && [ ! -L "$before" ] && cmp -s -- "$before" "$after" \
      && [ "$(stat -c '%a %u %g' -- "$before")" = "$(stat -c '%a %u %g' -- "$after")" ]; then
      ln -f -- "$before" "$after" || fail "cannot link $file"
    fi
  done < <(cd "$unfinished" && find . -type f -print0)
fi
mv -- "$unfinished" "$target/$now" || fail "cannot finish $now"
all=("$target"/$name)
for ((i = 0; i < ${#all[@]} - keep; i++)); do rm -rf -- "${all[i]}"; done
END
