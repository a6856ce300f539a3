import { BACKGROUND_SECONDS_MAX, SHELL_SECONDS_MAX } from '@hamlet/contract/resident';
import { HandsError } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { beginProcess, endedProcess, unlessAbsent } from '../job-process.ts';
import { FilePart, ProcessRecord } from '../process-record.ts';
import { placeEnvironment, processIdOf } from '../start-process.ts';
import { okay } from '../../tools/tool-kit.ts';
import { endOfProcess } from './ended-process.ts';

/** Wait before the answer, so that a background process that fails at once is reported. */
const BACKGROUND_LOOK_MS = 300;
const MAX_CWD_CHARS = 1_024;
/** The variable by which the supervisor finds the processes that a process has started. */
const SUPERVISORS_MARK = 'HAMLET_HANDS_PROCESS';

type Input = Readonly<{ command: string; timeout_s: number; background: boolean }>;

export const shell = (kit: HandsKit) =>
  handsTool(kit, 'shell', {
    timeoutMs: SHELL_SECONDS_MAX * 1_000,
    mayWait: true,
    namesRefusals: true,
    perform: async (input, job) => {
      await begin(input, job);
      return input.background ? inBackground(input, job) : ended(input, job);
    },
    // The process of a call that an earlier resident process began may still run, have ended, or be unknown.
    recover: (input, job) => unlessAbsent(input.background ? inBackground(input, job) : ended(input, job)),
  });

/** A call id identifies one process, so that a repeated start has no effect. */
async function begin({ command, timeout_s: timeoutS, background }: Input, job: HandsJob) {
  const { kit, context, tree, waitsMs } = job;
  const own = [SUPERVISORS_MARK, ...Object.keys(placeEnvironment(context, kit.environmentOf))].join(' ');
  const keeps = background ? '' : 'keeps';
  const seconds = background ? BACKGROUND_SECONDS_MAX : timeoutS;
  const argv = ['bash', '-c', SHELL_SCRIPT, 'hamlet-shell', sessionOf(kit, context), tree, own, command, keeps];
  await beginProcess(job, { argv, cwd: tree, timeoutMs: seconds * 1_000 + waitsMs });
}

const ranBy = ({ command, timeout_s: seconds }: Input) => ({ command, seconds });

const sessionOf = ({ shells }: HandsKit, { conversation }: { readonly conversation: string }): string =>
  `${shells}/${conversation.replaceAll(/[^A-Za-z0-9-]/g, '_').slice(0, 64)}`;

async function ended(input: Input, job: HandsJob): Promise<HandsEnd> {
  const record = await endedProcess(job);
  return endOfProcess(record, { ...ranBy(input), cwd: await cwdOf(job) });
}

async function inBackground(input: Input, job: HandsJob): Promise<HandsEnd> {
  const { hands, context } = job;
  const wait = { process: processIdOf(context), timeoutMs: BACKGROUND_LOOK_MS };
  const { exit, ...record } = await hands.ask('wait', wait, ProcessRecord);
  const cwd = await cwdOf(job);
  if (exit !== undefined) return endOfProcess({ ...record, exit }, { ...ranBy(input), cwd });
  const text = `Process ${context.call} runs in the background, for at most ${BACKGROUND_SECONDS_MAX} s and until this run ends. Read it with read_output, end it with stop_process.`;
  return { outcome: okay(text), report: { command: input.command, cwd } };
}

/** The folder in which the session's next command begins. The file belongs to the hands, so its text is untrusted. */
async function cwdOf({ hands, kit, context, tree }: HandsJob): Promise<string> {
  const args = { root: sessionOf(kit, context), path: 'cwd', offset: 0, bytes: MAX_CWD_CHARS };
  try {
    const { data } = await hands.ask('fs.read', args, FilePart);
    const [first = ''] = data.toString().split('\n');
    return first.replaceAll(/\p{Cc}/gu, '') || tree;
  } catch (error) {
    if (error instanceof HandsError && error.code !== 'hands_lost') return tree;
    throw error;
  }
}

/**
 * The script that runs one command of a session: `bash -c SCRIPT hamlet-shell FOLDER WORKSPACE OWN COMMAND KEEPS`. It loads
 * folder and exported variables from the session's folder, and stores them when the command has ended, also after `exit`. The
 * variables named in OWN belong to each call. A killed command leaves the session unchanged. With an empty KEEPS nothing is stored.
 *
 * Functions, aliases and options of the shell end with their command: the API judges a later command by the names of its programs
 * ([ADR 62](docs/adr/0062-permissions-and-effects.md)).
 *
 * It starts no process except the command, because each costs milliseconds. A state therefore overwrites the last but one, in the
 * files `exports.0` and `exports.1`, and is valid only if a line repeats its first line: `# NUMBER PROCESS`. The rest of the
 * overwritten file is ignored; truncating it first would cause a disk write at closing. The resident shows the first line of `cwd`;
 * the next command begins in the folder of its state. A session that an older resident stored keeps only the folder in `cwd`.
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
      builtin export -p && builtin echo "# $__hamlet_next $$"
  } 1<>"$__hamlet_folder/exports.$((__hamlet_next % 2))" && builtin printf '%s\\n' "$__hamlet_cwd" 1<>"$__hamlet_folder/cwd"
  exit $1
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
set -- "$1" "$2" "$3" "$4" "$5" "$__hamlet_number"
if [ -n "$__hamlet_state" ]; then eval "$__hamlet_state" 2>/dev/null
elif [ -r "$1/cwd" ]; then
  IFS= read -r __hamlet_cwd <"$1/cwd"
  cd -- "$__hamlet_cwd" 2>/dev/null || cd "$2"
fi
unset __hamlet_state __hamlet_text __hamlet_mark __hamlet_file __hamlet_cwd
__hamlet_folder=$1 __hamlet_own=$3 __hamlet_command=$4 __hamlet_keeps=$5 __hamlet_number=$6
trap __hamlet_keep EXIT
set --
eval "$__hamlet_command"
`.trim();
