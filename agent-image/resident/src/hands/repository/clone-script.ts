/** Seconds for the submodules of a repository; the clone itself has the rest of its time. */
const SUBMODULES_S = 400;
const SUBMODULES_MAX = 50;
const CAUSE_BYTES = 600;

/**
 * The script that clones a repository into the workspace: `bash -c SCRIPT hamlet-clone WORKSPACE NAME HASH URL BRANCH LOCKS`. Its
 * last line of output is the name of the folder. If that folder belongs to another repository, it stays unchanged and the clone
 * gets another name. An interrupted clone leaves nothing behind, and parallel calls share one clone. Submodules are filled;
 * the lines before name those that stay empty, with the cause. Empty ones do not fail the clone.
 */
export const CLONE_SCRIPT = `
export LC_ALL=C
fill_submodules() {
  local path said why='' empty=()
  [ -e "$1/.gitmodules" ] || return 0
  SECONDS=0
  # One that cannot be filled must not leave the others empty.
  while read -r _ path; do
    said=$(timeout $((SECONDS < ${SUBMODULES_S} ? ${SUBMODULES_S} - SECONDS : 1)) git -C "$1" submodule update --quiet --init --recursive -- "$path" 2>&1 9>&-) && continue
    empty+=("$path") why=$said
  done < <(git config --file "$1/.gitmodules" --get-regexp '^submodule[.].*[.]path$' | head -n ${SUBMODULES_MAX})
  [ \${#empty[@]} = 0 ] || echo "These submodules are empty, because git could not fill them: \${empty[*]}. Cause of the last: $(printf '%s' "$why" | tail -n 3 | paste -sd ' ' | head -c ${CAUSE_BYTES})"
}
workspace=$1 name=$2 hash=$3 url=$4 branch=$5 locks=$6
mkdir -p -- "$locks" "$workspace" && cd -- "$workspace" || exit 1
exec 9>"$locks/$hash" && flock 9 || exit 1
rm -rf -- ".clone-$hash"
for folder in "$name" "$name-$hash"; do
  if [ -e "$folder" ] || [ -L "$folder" ]; then
    [ "$(git -C "$folder" config --local --get remote.origin.url 2>/dev/null)" = "$url" ] && { echo "$folder"; exit 0; }
    continue
  fi
  if ! said=$(git clone --quiet --branch "$branch" -- "$url" ".clone-$hash" 2>&1 9>&-); then
    rm -rf -- ".clone-$hash"
    case $said in *"Remote branch $branch not found"*) ;; *) printf '%s\n' "$said" >&2; exit 1;; esac
    git clone --quiet -- "$url" ".clone-$hash" 9>&- && git -C ".clone-$hash" checkout --quiet -b "$branch" || exit 1
    echo "It has no branch $branch: the branch was made in your work tree."
  fi
  fill_submodules ".clone-$hash"
  mv -T -- ".clone-$hash" "$folder" && echo "$folder"
  exit
done
echo "/workspace has folders named $name and $name-$hash that belong to other repositories. Move one away." >&2
exit 1
`.trim();
