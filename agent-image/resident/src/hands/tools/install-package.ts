import { posix } from 'node:path';
import { INSTALL_SECONDS_MAX, type InstallInput } from '@hamlet/contract/resident';
import type { InstalledPackage } from '@hamlet/core/install';
import { failureOfInstall, installCommand, installedIn, installPlan } from '@hamlet/core/install';
import type { ToolOutcome } from '@hamlet/engine';
import { pathIn } from '../files/hands-files.ts';
import { isThere } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import type { EndedProcess, OutputStream } from '../process-record.ts';
import { BROKER_HOST } from '../proxy-environment.ts';
import { withRefusals } from '../refusals.ts';
import { numberOf, shownOutput, textOf } from '../shown-output.ts';
import { failed, fromOutside } from '../../tools/tool-kit.ts';
import { endOfProcess } from './ended-process.ts';
import { keptOutput, runProcess } from '../job-process.ts';

/** Timeouts in seconds for updating apt's package list, and for listing installed versions. */
const STEP_SECONDS = 180;
/** Maximum characters of each stream that the model reads: a success needs few words. */
const SHOWN_CHARS = { done: 2_000, failed: 8_000 } as const;
const LIST_MAX_BYTES = 4 << 20;
/** Debian's programs ask no questions, and programs print without colours. */
const QUIET = { DEBIAN_FRONTEND: 'noninteractive', NO_COLOR: '1', CARGO_TERM_COLOR: 'never' };
const CRATES = `http://${BROKER_HOST}/crates/`;

/** The tool `install_package`: runs the package manager without a shell, and then lists the installed versions. */
export const installPackage = (kit: HandsKit) =>
  handsTool(kit, 'install_package', {
    timeoutMs: (2 * INSTALL_SECONDS_MAX + 2 * STEP_SECONDS) * 1_000,
    namesRefusals: true,
    perform: install,
  });

async function install(input: InstallInput, job: HandsJob): Promise<HandsEnd> {
  const cwd = folderOf(input, job);
  const plan = installPlan(input, { hasVenv: await hasVenv(input, job, cwd), crates: CRATES });
  const run = (step: string | null, argv: readonly string[], seconds = input.timeout_s): Promise<EndedProcess> =>
    runProcess(job, { argv, cwd, env: QUIET, timeoutMs: seconds * 1_000, ...(step !== null && { step }) });
  if (plan.update !== null) {
    const updated = await run('update', plan.update, STEP_SECONDS);
    if (!hasSucceeded(updated)) return failedEnd(input, updated, { cwd, job });
  }
  const record = await run(null, plan.install);
  if (!hasSucceeded(record)) return failedEnd(input, record, { cwd, job });
  if (plan.fetch !== null) {
    const fetched = await run('fetch', plan.fetch);
    if (!hasSucceeded(fetched)) return failedEnd(input, fetched, { cwd, job });
  }
  const list = await run('list', plan.list, STEP_SECONDS);
  const installed = installedIn(input, (await keptOutput(job, list, LIST_MAX_BYTES)).toString());
  return doneEnd(input, { record, cwd, installed });
}

const hasSucceeded = ({ exit }: EndedProcess): boolean => exit.cause === 'exit' && exit.code === 0;

function folderOf({ folder }: InstallInput, { kit, tree }: HandsJob): string {
  if (folder === undefined) return tree;
  return posix.join(kit.workspace, pathIn(kit.workspace, folder));
}

/** True if the folder has a Python virtual environment that is not a link out of the workspace. */
async function hasVenv({ manager }: InstallInput, { hands, kit }: HandsJob, folder: string): Promise<boolean> {
  if (manager !== 'pip') return false;
  return isThere(hands, kit.workspace, posix.join(pathIn(kit.workspace, folder), '.venv/pyvenv.cfg'));
}

const ranBy = (input: InstallInput, cwd: string) => ({
  command: installCommand(input),
  cwd,
  seconds: input.timeout_s,
});

interface Done {
  readonly record: EndedProcess;
  readonly cwd: string;
  readonly installed: readonly InstalledPackage[];
}

function doneEnd(input: InstallInput, { record, cwd, installed }: Done): HandsEnd {
  const { report } = endOfProcess(record, ranBy(input, cwd));
  const there = installed.flatMap(({ name, version }) => (version === null ? [] : [`${name} ${version}`]));
  const absent = installed.filter(({ version }) => version === null).map(({ name }) => name);
  const lines = [
    there.length === 0 ? `${input.manager} succeeded.` : `Installed now, according to ${input.manager}:`,
    ...there,
    ...(absent.length === 0 ? [] : [`Not found afterwards: ${absent.join(', ')}. Read the output.`]),
    hintOf(input, record),
    outputOf(record, SHOWN_CHARS.done),
  ];
  return { outcome: fromOutside(lines.filter((line) => line !== '').join('\n')), report };
}

/** pip prints this itself, but in the middle of other lines. */
const hintOf = ({ manager }: InstallInput, { stderr }: EndedProcess): string =>
  manager === 'pip' && textOf(stderr).includes('not on PATH')
    ? 'Its programs are in ~/.local/bin: start them from there, or with python3 -m NAME.'
    : '';

/** The broker's refusals come first, because a manager's output hides them. */
function failedEnd(
  input: InstallInput,
  record: EndedProcess,
  { cwd, job }: { readonly cwd: string; readonly job: HandsJob },
): HandsEnd {
  const end = endOfProcess(record, ranBy(input, cwd));
  const { exit } = record;
  if (exit.cause !== 'exit') return end;
  const refused = job.kit.refusals.take(job.context);
  const output = [...refused, textOf(record.stderr), textOf(record.stdout)].join('\n');
  const { code, advice } = failureOfInstall(input.manager, { exit: exit.code ?? null, output });
  const outcome: ToolOutcome = failed(code, `${advice}\n${outputOf(record, SHOWN_CHARS.failed)}`);
  return withRefusals({ ...end, outcome }, refused);
}

function outputOf({ process, stdout, stderr }: EndedProcess, chars: number): string {
  const part = (name: 'stdout' | 'stderr', stream: OutputStream | undefined): string => {
    const text = shownOutput(stream, { process: numberOf(process), name, chars });
    return text.trim() === '' ? '' : `${name}:\n${text}`;
  };
  return [part('stderr', stderr), part('stdout', stdout)].filter((text) => text !== '').join('\n');
}
