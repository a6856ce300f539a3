import type { ScriptDetail, ScriptLanguage } from '@hamlet/contract';
import { HANDS_TOOLS, SCRIPT_SECONDS_MAX, type RunScriptInput } from '@hamlet/contract/resident';
import { variablesOf } from '@hamlet/core/script';
import { HandsError } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { processIdOf, startProcess, untilEnded } from '../start-process.ts';
import { codeOf, failed } from '../../tools/tool-kit.ts';
import { endOfProcess } from './ended-process.ts';

/**
 * The command of a source. No file is written, so that no link and no other program changes what runs; `--` and `=` keep a source that
 * begins with a dash from being an option.
 */
const COMMANDS: Readonly<Record<ScriptLanguage, (source: string, name: string) => readonly string[]>> = {
  bash: (source, name) => ['bash', '-c', '--', source, name],
  python: (source) => ['python3', '-c', source],
  node: (source) => ['node', `--eval=${source}`],
};

/** Python would take a file of the folder for a module of its own library. */
const SAFE = { PYTHONSAFEPATH: '1' };

/** The tool `run_script`: the text of one version, as the village has it, as a process of the hands. */
export const runScript = (kit: HandsKit) =>
  handsTool(
    kit,
    { name: 'run_script', ...HANDS_TOOLS.run_script },
    { timeoutMs: SCRIPT_SECONDS_MAX * 1_000, mayWait: true, namesRefusals: true, perform, recover },
  );

async function perform(input: RunScriptInput, job: HandsJob): Promise<HandsEnd> {
  const { hands, kit, context, tree, waitsMs } = job;
  const found = await kit.readScript(input, context.signal);
  if (found.kind === 'refused') return { outcome: failed(codeOf(found.code), `${found.detail}.`), report: {} };
  const { script, source } = found.value;
  const place = { run: context.run, call: context.call };
  const id = processIdOf(place);
  const argv = COMMANDS[script.language](source, script.name);
  const env = { ...SAFE, ...variablesOf(input.arguments) };
  const limits = { timeoutMs: input.timeout_s * 1_000 + waitsMs };
  await startProcess(hands, { id, place, argv, cwd: tree, env, limits }, kit.environmentOf);
  return ended(input, job, found.value);
}

/** A process that an earlier process of the resident started; null if none began. */
async function recover(input: RunScriptInput, job: HandsJob): Promise<HandsEnd | null> {
  try {
    return await ended(input, job, null);
  } catch (error) {
    if (error instanceof HandsError && error.code === 'no_such_process') return null;
    throw error;
  }
}

/** The log has the source that ran, if this process has it. */
async function ended(input: RunScriptInput, job: HandsJob, detail: ScriptDetail | null): Promise<HandsEnd> {
  const { name, version, arguments: given, timeout_s: seconds } = input;
  const record = await untilEnded(job.hands, processIdOf(job.context), job.context.signal);
  const head = `# ${name} ${version} ${JSON.stringify(given)}`;
  const command = detail === null ? head : `${head}\n${detail.source}`;
  const end = endOfProcess(record, { command, cwd: job.tree, seconds });
  const { outcome, report } = end;
  if (outcome.kind !== 'ok' || report.exit === 0) return end;
  return { ...end, outcome: failed('script_failed', outcome.text) };
}
