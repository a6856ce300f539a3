# The script of one call of the tool `git`: `bash -c SCRIPT hamlet-git RISK ACTION OWN MESSAGE ARGS…`, in the work tree. RISK says
# when a checkpoint comes first (riskOfGit). OWN is the prefix of the agent's branches at the server.
#
# A checkpoint is a branch with one commit above the present one. The commit has all files as they are, also those that no
# commit has yet, and names the branch. Making it changes neither files nor index.
export GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true GIT_PAGER=cat GIT_MERGE_AUTOEDIT=no
git() { command git -c core.quotePath=false "$@"; }
risk=$1 action=$2 own=$3 message=$4
shift 4
say() { printf '%s\n' "$*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }
branch() { git symbolic-ref --quiet --short HEAD; }
has_changes() { [ -n "$(git status --porcelain 2>/dev/null | head -c 1)" ]; }
has_commit() { git rev-parse --quiet --verify HEAD >/dev/null; }

# checkpoint WHY [COMMIT]: of all files as they are, or of a commit.
checkpoint() {
  has_commit || return 0
  local why=$1 name stem tree commit index n=1 from
  from=$(branch) || from=
  stem="checkpoint-$(printf '%s' "${from:-detached}" | tr / -)-$(date +%s)" name=$stem
  while git show-ref --quiet --verify "refs/heads/$name"; do n=$((n + 1)) name="$stem-$n"; done
  if [ $# -gt 1 ]; then
    git branch "$name" "$2" || exit
    say "Checkpoint before $why: $name."
    return
  fi
  index=$(mktemp) || exit
  cp -- "$(git rev-parse --git-path index)" "$index" 2>/dev/null || rm -f -- "$index"
  tree=$(GIT_INDEX_FILE=$index git add -A && GIT_INDEX_FILE=$index git write-tree) || exit
  rm -f -- "$index"
  commit=$(git commit-tree "$tree" -p HEAD -m "checkpoint: before $why" -m "branch: $from") || exit
  git branch "$name" "$commit" || exit
  say "Checkpoint before $why: $name. To return to it: action undo with args [\"$name\"]."
}

# Gives up an unfinished merge, rebase or pick.
abandon() {
  local verb
  for verb in rebase merge cherry-pick revert am; do git "$verb" --abort >/dev/null 2>&1; done
  return 0
}

undo() {
  local name=${1:-} body was
  [ $# -eq 1 ] || die 'Write the checkpoint in args.'
  git rev-parse --quiet --verify "refs/heads/$name^{commit}" >/dev/null || die "There is no branch $name. See: action branch with args [\"--list\", \"checkpoint-*\"]."
  body=$(git log -1 --format=%B "refs/heads/$name")
  case $body in 'checkpoint: '*) ;; *) die "$name keeps a branch, not the files. Make the branch again: action branch with args [\"NAME\", \"$name\"].";; esac
  was=$(printf '%s\n' "$body" | sed -n 's/^branch: //p' | tail -1)
  checkpoint undo
  abandon
  if [ -n "$was" ]; then git checkout --quiet --force -B "$was" "$name^" -- || exit
  else git checkout --quiet --force --detach "$name^" -- || exit; fi
  git read-tree --reset -u "$name" && git reset --quiet --mixed "$name^" || exit
  say "The work tree is as it was at $name, on ${was:-no branch}. Files that were added since are still there."
  git status --short --branch
}

# The branch at the server to which the work belongs.
base() {
  local at=${1:-}
  [ -n "$at" ] || at=$(git rev-parse --abbrev-ref --symbolic-full-name '@{upstream}' 2>/dev/null)
  [ -n "$at" ] || at=$(git rev-parse --abbrev-ref origin/HEAD 2>/dev/null)
  at=${at#refs/remotes/}
  at=${at#origin/}
  [ -n "$at" ] && [ "$at" != HEAD ] || die 'Write the branch in args, for example ["main"].'
  say "$at"
}

carry_forward() {
  local on
  on=$(base "${1:-}") || exit
  checkpoint carry_forward
  if has_changes; then
    git add -A && git commit --quiet --no-verify -m 'wip: snapshot before sync' || exit
    say 'Your changes are in the commit "wip: snapshot before sync".'
  fi
  git fetch origin || exit
  if git rebase "refs/remotes/origin/$on"; then return 0; fi
  say 'These files are in conflict:' >&2
  git diff --name-only --diff-filter=U >&2
  git rebase --abort
  die "Your work is on no newer commit: the rebase was undone, the snapshot is there. Use rebase with args [\"origin/$on\"], solve each file, add it, and rebase with args [\"--continue\"]."
}

squash() {
  local on
  on=$(base "${1:-}") || exit
  git merge-base --is-ancestor "refs/remotes/origin/$on" HEAD || die "origin/$on has commits that you do not have: use carry_forward first."
  checkpoint squash
  git reset --quiet --soft "refs/remotes/origin/$on" && git commit -m "$message"
}

push() {
  local arg at specs=0
  for arg in "$@"; do case $arg in -*) ;; *) specs=$((specs + 1));; esac; done
  case " $* " in *' --all '* | *' --tags '* | *' --mirror '*) git push "$@"; return;; esac
  if [ $specs -lt 2 ]; then
    at=$(branch) || die 'You are on no branch: write the remote and HEAD:BRANCH in args.'
    [ $specs -eq 1 ] || set -- "$@" origin
    set -- "$@" "HEAD:refs/heads/$own${at#"$own"}"
  fi
  git push "$@"
}

case $action in init | clone) ;; *) git rev-parse --is-inside-work-tree >/dev/null || exit;; esac
case $risk in
  always) case $action in carry_forward | squash) ;; *) checkpoint "$action";; esac;;
  changes) if has_changes; then checkpoint "$action"; fi;;
  branch) for arg in "$@"; do if git show-ref --quiet --verify "refs/heads/$arg"; then checkpoint "branch $arg" "refs/heads/$arg"; fi; done;;
esac
case $action in
  checkpoint) has_commit || die 'There is no commit yet: make one first.'; checkpoint "${1:-a step}";;
  undo | carry_forward | squash | push) "$action" "$@";;
  commit) if [ -n "$message" ]; then set -- "$@" -m "$message"; fi; git commit "$@";;
  *) git --no-pager "$action" "$@";;
esac
