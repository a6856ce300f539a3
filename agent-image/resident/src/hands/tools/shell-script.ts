/**
 * The script that runs one command of a session: `bash -c SCRIPT hamlet-shell FOLDER WORKSPACE OWN COMMAND KEEPS`. It takes folder,
 * exported variables, functions and aliases from the folder of the session, and stores them when the command has ended, also by
 * `exit`. The variables named in OWN belong to each call. A command that is killed leaves the session as it was. With an empty
 * KEEPS nothing is stored.
 *
 * It starts no process besides the command, because each costs milliseconds. So a state replaces the one before the last, in the files
 * `state.0` and `state.1`, and counts only if a line repeats its first: `# NUMBER PROCESS`. It is written over the old one, whose rest
 * means nothing: a file that is emptied first goes to the disk when it is closed. The file `state` is that of an older resident, with
 * its folder in `cwd`. The resident shows the first line of `cwd`; the next command begins where its state says.
 */
export const SHELL_SCRIPT = `
__hamlet_keep() {
  set -- $?
  { set +xeua; trap - EXIT; } 2>/dev/null
  [ -n "$__hamlet_keeps" ] || exit $1
  [ -d "$__hamlet_folder" ] || mkdir -p "$__hamlet_folder"
  builtin cd . 2>/dev/null
  local __hamlet_next=$((__hamlet_number + 1)) __hamlet_cwd=$PWD
  unset -f __hamlet_keep
  unset PWD OLDPWD SHLVL _ $__hamlet_own
  {
    builtin echo "# $__hamlet_next $$" &&
      builtin printf 'builtin cd -- %q 2>/dev/null || builtin cd -- "$2"\\n' "$__hamlet_cwd" &&
      builtin export -p && builtin declare -f && builtin alias -p &&
      builtin echo "# $__hamlet_next $$"
  } 1<>"$__hamlet_folder/state.$((__hamlet_next % 2))" && builtin printf '%s\\n' "$__hamlet_cwd" 1<>"$__hamlet_folder/cwd"
  exit $1
}
__hamlet_number=0 __hamlet_state=
for __hamlet_file in "$1/state.0" "$1/state.1"; do
  __hamlet_text=
  [ -r "$__hamlet_file" ] && IFS= read -r -d '' __hamlet_text <"$__hamlet_file"
  __hamlet_mark=\${__hamlet_text%%$'\\n'*}
  [[ $__hamlet_mark =~ ^'# '([1-9][0-9]{0,14})' ' && $__hamlet_text == *$'\\n'"$__hamlet_mark"$'\\n'* ]] || continue
  [ "\${BASH_REMATCH[1]}" -gt "$__hamlet_number" ] || continue
  __hamlet_number=\${BASH_REMATCH[1]} __hamlet_state=\${__hamlet_text%%$'\\n'"$__hamlet_mark"$'\\n'*}
done
set -- "$1" "$2" "$3" "$4" "$5" "$__hamlet_number"
shopt -s expand_aliases
if [ -n "$__hamlet_state" ]; then eval "$__hamlet_state" 2>/dev/null
elif [ -r "$1/state" ]; then
  . "$1/state" 2>/dev/null
  IFS= read -r __hamlet_cwd <"$1/cwd"
  cd -- "$__hamlet_cwd" 2>/dev/null || cd "$2"
fi
unset __hamlet_state __hamlet_text __hamlet_mark __hamlet_file __hamlet_cwd
__hamlet_folder=$1 __hamlet_own=$3 __hamlet_command=$4 __hamlet_keeps=$5 __hamlet_number=$6
trap __hamlet_keep EXIT
set --
eval "$__hamlet_command"
`.trim();
