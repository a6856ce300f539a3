/**
 * Opens a session before its command: `bash -c RUN hamlet-shell OPENING FOLDER WORKSPACE OWN COMMAND KEEPS`. It loads
 * folder and exported variables from the session's folder, and stores them when the command has ended, even after `exit`. The
 * variables named in OWN belong to each call. A killed command leaves the session unchanged. With an empty KEEPS nothing is stored.
 *
 * Functions, aliases and options of the shell end with their command: the API judges a later command by the names of its programs
 * ([ADR 62](docs/adr/0062-permissions-and-effects.md)).
 *
 * It starts no process except the command, because each costs milliseconds. A state therefore overwrites the last but one, in the
 * files `exports.0` and `exports.1`, and is valid only if a line repeats its first line: `# NUMBER PROCESS`. The rest of the
 * overwritten file is ignored; truncating it first would cause a disk write at closing. The resident shows the first line of `cwd`;
 * the next command begins in the folder of its state. A session that an older resident stored keeps only the folder in `cwd`.
 *
 * The values for the end are words in the text of the trap, so that no variable of the command reaches it: arithmetic on
 * `a[$(id)]` would start a program that the API did not see.
 */
const OPENING = `
shift
__hamlet_keep() {
  [ -d "$2" ] || mkdir -p "$2"
  builtin cd . 2>/dev/null
  set -- "$PWD" "$@"
  unset PWD OLDPWD SHLVL _ "\${@:6}"
  {
    builtin echo "# $4 $$" &&
      builtin printf 'builtin cd -- %q 2>/dev/null || builtin cd -- "$2"\\n' "$1" &&
      builtin export -p && builtin echo "# $4 $$"
  } 1<>"$3/$5" && builtin printf '%s\\n' "$1" 1<>"$3/cwd"
  exit "$2"
}
__hamlet_number=0 __hamlet_state=
for __hamlet_file in "$1/exports.0" "$1/exports.1"; do
  __hamlet_text=
  [ -r "$__hamlet_file" ] && IFS= read -r -d '' __hamlet_text <"$__hamlet_file"
  __hamlet_mark=\${__hamlet_text%%$'\\n'*}
  [[ $__hamlet_mark =~ ^'# '([1-9][0-9]{0,14})' ' && $__hamlet_text == *$'\\n'"$__hamlet_mark"$'\\n'* ]] || continue
  [ "\${BASH_REMATCH[1]}" -gt "$__hamlet_number" ] || continue
  __hamlet_number=\${BASH_REMATCH[1]} __hamlet_state=\${__hamlet_text%%$'\\n'"$__hamlet_mark"$'\\n'*}
done
__hamlet_number=$((__hamlet_number + 1))
__hamlet_end="{ set -- \\"\\$?\\" \${1@Q} $__hamlet_number exports.$((__hamlet_number % 2)) $3; set +xeua; trap - EXIT; } 2>/dev/null"
set -- "$1" "$2" "$4" "\${5:+$__hamlet_end; __hamlet_keep \\"\\$@\\"}"
if [ -n "$__hamlet_state" ]; then eval "$__hamlet_state" 2>/dev/null
elif [ -r "$1/cwd" ]; then
  IFS= read -r __hamlet_cwd <"$1/cwd"
  cd -- "$__hamlet_cwd" 2>/dev/null || cd "$2"
fi
unset __hamlet_number __hamlet_state __hamlet_text __hamlet_mark __hamlet_file __hamlet_cwd __hamlet_end
readonly -f __hamlet_keep
[ -z "$4" ] || trap "$4" EXIT
set -- "$3"
`.trim();

/** On one line, so that bash counts the lines of a command from 1 in its messages. */
const RUN = 'eval "$1"; eval "set --; $1"';

/** One command of a session. `own`: variables that belong to each call. `keeps`: false if the session does not change. */
export interface SessionCommand {
  readonly folder: string;
  readonly workspace: string;
  readonly own: readonly string[];
  readonly command: string;
  readonly keeps: boolean;
}

/** The program that runs a command of a session. */
export function sessionProgram({ folder, workspace, own, command, keeps }: SessionCommand): readonly string[] {
  const args = [folder, workspace, own.join(' '), command, keeps ? 'keeps' : ''];
  return ['bash', '-c', RUN, 'hamlet-shell', OPENING, ...args];
}
