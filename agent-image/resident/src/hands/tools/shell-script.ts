/**
 * The script that runs one command of a session: `bash -c SCRIPT hamlet-shell FOLDER WORKSPACE OWN COMMAND KEEPS`. It takes folder,
 * exported variables, functions and aliases from the folder of the session, and stores them when the command has ended, also by
 * `exit`. The variables named in OWN belong to each call. A command that is killed leaves the session as it was. With an empty
 * KEEPS nothing is stored. It starts one process besides the command, because each costs milliseconds.
 */
export const SHELL_SCRIPT = `
__hamlet_keep() {
  local code=$?
  trap - EXIT
  [ -n "$__hamlet_keeps" ] || exit $code
  [ -d "$__hamlet_folder" ] || mkdir -p "$__hamlet_folder"
  (
    pwd >"$__hamlet_folder/cwd"
    unset -f __hamlet_keep
    unset PWD OLDPWD SHLVL _ $__hamlet_own
    { export -p; declare -f; alias -p; } >"$__hamlet_folder/state.new" &&
      exec mv -f -- "$__hamlet_folder/state.new" "$__hamlet_folder/state"
  )
  exit $code
}
__hamlet_folder=$1 __hamlet_own=$3 __hamlet_keeps=$5
shopt -s expand_aliases
if [ -r "$1/state" ]; then . "$1/state" 2>/dev/null; fi
if [ -r "$1/cwd" ]; then IFS= read -r __hamlet_cwd <"$1/cwd"; cd -- "$__hamlet_cwd" 2>/dev/null || cd "$2"; fi
trap __hamlet_keep EXIT
__hamlet_command=$4
set --
eval "$__hamlet_command"
`.trim();
