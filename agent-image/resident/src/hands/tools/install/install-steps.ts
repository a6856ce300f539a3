import type { HandsJob } from '../../hands-tool.ts';
import { OutputPart, type EndedProcess } from '../../process-record.ts';
import { processIdOf, startProcess, untilEnded } from '../../start-process.ts';

const PART_BYTES = 512 << 10;
/** Longest list of packages that is read. */
const LIST_MAX_BYTES = 4 << 20;

/** `install` is the process of the call, which `read_output` names. */
export type StepName = 'update' | 'install' | 'fetch' | 'list';

export interface Step {
  readonly name: StepName;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly seconds: number;
}

/** Debian's programs ask nothing, and programs print without colours. */
const QUIET = { DEBIAN_FRONTEND: 'noninteractive', NO_COLOR: '1', CARGO_TERM_COLOR: 'never' };

const idOf = ({ context }: HandsJob, name: StepName): string =>
  name === 'install' ? processIdOf(context) : `${processIdOf(context)}.${name}`;

/** Runs one process of a call; every attempt of the call means the same processes. Rejects with `HandsError`. */
export async function runStep(job: HandsJob, { name, argv, cwd, seconds }: Step): Promise<EndedProcess> {
  const { hands, kit, context } = job;
  const id = idOf(job, name);
  const place = { run: context.run, call: context.call };
  const limits = { timeoutMs: seconds * 1_000 };
  await startProcess(hands, { id, place, argv, cwd, env: QUIET, limits }, kit.environmentOf);
  return untilEnded(hands, id, context.signal);
}

/** All that a step printed, as far as the hands keep it and at most 4 MiB. */
export async function printedBy(job: HandsJob, name: StepName, { stdout }: EndedProcess): Promise<string> {
  const parts: Buffer[] = [];
  const bytes = Math.min(stdout?.kept ?? 0, LIST_MAX_BYTES);
  for (let offset = 0; offset < bytes;) {
    const args = { process: idOf(job, name), stream: 'stdout', offset, bytes: PART_BYTES, waitMs: 0 };
    const { data } = await job.hands.ask('read', args, OutputPart);
    if (data.length === 0) break;
    parts.push(data);
    offset += data.length;
  }
  return Buffer.concat(parts).toString();
}
