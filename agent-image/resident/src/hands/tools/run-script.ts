import type { ScriptDetail, ScriptLanguage } from '@hamlet/contract';
import { SCRIPT_SECONDS_MAX, type RunScriptInput } from '@hamlet/contract/resident';
import { variablesOf } from '@hamlet/core/script';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { beginProcess, endedProcess, unlessAbsent } from '../job-process.ts';
import { codeOf, failed } from '../../tools/tool-kit.ts';
import { endOfProcess } from './ended-process.ts';

/**
 * The command that runs a source. It writes no file, so that no link and no other program can change the code that runs. `--` and
 * `=` prevent a source that begins with a dash from being an option.
 */
const COMMANDS: Readonly<Record<ScriptLanguage, (source: string, name: string) => readonly string[]>> = {
  bash: (source, name) => ['bash', '-c', '--', source, name],
  python: (source) => ['python3', '-c', source],
  node: (source) => ['node', `--eval=${source}`],
};

/** Python would import a file of the folder instead of a module of its own library. */
const SAFE = { PYTHONSAFEPATH: '1' };

export const runScript = (kit: HandsKit) =>
  handsTool(kit, 'run_script', {
    timeoutMs: SCRIPT_SECONDS_MAX * 1_000,
    mayWait: true,
    namesRefusals: true,
    perform,
    recover: (input, job) => unlessAbsent(ended(input, job, null)),
  });

async function perform(input: RunScriptInput, job: HandsJob): Promise<HandsEnd> {
  const { kit, context, tree, waitsMs } = job;
  const found = await kit.readScript(input, context.signal);
  if (found.kind === 'refused') return { outcome: failed(codeOf(found.code), `${found.detail}.`), report: {} };
  const { script, source } = found.value;
  const argv = COMMANDS[script.language](source, script.name);
  const env = { ...SAFE, ...variablesOf(input.arguments) };
  await beginProcess(job, { argv, cwd: tree, env, timeoutMs: input.timeout_s * 1_000 + waitsMs });
  return ended(input, job, found.value);
}

/** The log contains the source that ran, if this process has it. */
async function ended(input: RunScriptInput, job: HandsJob, detail: ScriptDetail | null): Promise<HandsEnd> {
  const { name, version, arguments: given, timeout_s: seconds } = input;
  const record = await endedProcess(job);
  const head = `# ${name} ${version} ${JSON.stringify(given)}`;
  const command = detail === null ? head : `${head}\n${detail.source}`;
  const end = endOfProcess(record, { command, cwd: job.tree, seconds });
  const { outcome, report } = end;
  if (outcome.kind !== 'ok' || report.exit === 0) return end;
  return { ...end, outcome: failed('script_failed', outcome.text) };
}
