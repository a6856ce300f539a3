import { METER_WORD } from './install-meter.ts';

/**
 * The script that prepares a program in the hands: `bash -c SCRIPT hamlet-program ACTION BIN FOLDER LOCK REBUILD`. FOLDER is
 * `…/NAME/VERSION`, LOCK the hash of its lock file, BIN the command to start.
 *
 * `find` prints where the program is: `image` if BIN is on the PATH, `volume` if FOLDER has the whole program, else `nowhere`. A
 * second line has the address of the door to models.
 *
 * `install` reads package.json (one line) and package-lock.json from its input. Parallel installs wait for each other, and share
 * one. It installs beside FOLDER and renames, so that an interrupted install leaves no program behind. npm compares each package
 * with its hash in the lock file, except those for other processors, which a registry may lack; no scripts of packages run, except
 * those of REBUILD. Every two seconds it prints how much is there, as {@link METER_WORD} and megabytes. The file `installed` keeps LOCK and a hash of all names and sizes, by which `find` knows a whole program. Other versions of NAME are removed once the new one has started.
 */
export const PROGRAM_SCRIPT = `
export LC_ALL=C
action=$1 bin=$2 folder=$3 lock=$4 rebuild=$5
programs=$(dirname -- "$folder")
state() { cd -- "$1" && echo "$lock $(find node_modules \\( -type f -o -type l \\) -printf '%p %s\\n' | sort | sha256sum)"; }
is_whole() { [ -f "$folder/installed" ] && [ "$(cat "$folder/installed")" = "$(state "$folder")" ]; }
case $action in
find)
  if command -v -- "$bin" >/dev/null; then echo image
  elif is_whole; then echo volume
  else echo nowhere; fi
  echo "$OPENAI_BASE_URL" ;;
install)
  mkdir -p -- "$programs" && exec 9>"$programs/.lock" && flock 9 || exit 1
  is_whole && exit 0
  rm -rf -- "$programs"/.new-*
  fresh=$(mktemp -d -- "$programs/.new-XXXXXX") && cd -- "$fresh" || exit 1
  while sleep 2; do du -sm node_modules 2>/dev/null | sed 's/[^0-9].*//; s/^/${METER_WORD} /'; done 9>&- &
  meter=$!
  trap 'kill "$meter"; rm -rf -- "$fresh"' EXIT
  IFS= read -r package && printf '%s\\n' "$package" >package.json && cat >package-lock.json || exit 1
  set -- --package-lock --no-audit --no-fund --no-update-notifier --no-progress --cache="$fresh/.cache"
  npm install --omit=dev --ignore-scripts "$@" 9>&- || exit
  [ -z "$rebuild" ] || npm rebuild "$@" -- $rebuild 9>&- || exit
  rm -rf .cache && state "$fresh" >"$fresh/installed" || exit 1
  "node_modules/.bin/$bin" --version >&2 </dev/null 9>&- || exit
  rm -rf -- "$folder" && mv -T -- "$fresh" "$folder" && cd -- "$programs" || exit 1
  for each in *; do [ "$each" = "\${folder##*/}" ] || rm -rf -- "$each"; done ;;
esac
`.trim();

/** The script that writes files: `bash -c SCRIPT hamlet-files PATH TEXT PATH TEXT …`. */
export const FILES_SCRIPT = `
umask 077
while [ $# -gt 1 ]; do
  mkdir -p -- "$(dirname -- "$1")" && printf '%s' "$2" >"$1.new-$$" && mv -T -- "$1.new-$$" "$1" || exit 1
  shift 2
done
`.trim();
