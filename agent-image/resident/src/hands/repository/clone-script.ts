/**
 * The script that puts a repository into the workspace: `bash -c SCRIPT hamlet-clone WORKSPACE NAME HASH URL BRANCH LOCKS`. The last
 * line that it prints is the name of the folder. A folder of that name that belongs to another repository stays as it is, and
 * the repository gets a folder of another name. A clone that was cut off leaves nothing behind, and two at a time make one.
 */
export const CLONE_SCRIPT = `
export LC_ALL=C
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
  mv -T -- ".clone-$hash" "$folder" && echo "$folder"
  exit
done
echo "/workspace has folders named $name and $name-$hash that belong to other repositories. Move one away." >&2
exit 1
`.trim();
