import { HandsError } from './hands-client.ts';
import type { HandsJob } from './hands-tool.ts';
import { OutputPart, type EndedProcess } from './process-record.ts';
import { processIdOf, startProcess, untilEnded } from './start-process.ts';

/** A process of a call. Every attempt of the call refers to the same process, and a second start has no effect. */
export interface JobProcess {
  readonly argv: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutMs: number;
  readonly outputBytes?: number;
  /** Name of a step that the call runs in addition to its main process. */
  readonly step?: string;
}

const PART_BYTES = 512 << 10;

const idOf = ({ context }: HandsJob, step?: string): string =>
  step === undefined ? processIdOf(context) : `${processIdOf(context)}.${step}`;

export async function beginProcess(
  job: HandsJob,
  { step, timeoutMs, outputBytes, ...parts }: JobProcess,
): Promise<void> {
  const { hands, kit, context } = job;
  const place = { run: context.run, call: context.call };
  const limits = { timeoutMs, ...(outputBytes !== undefined && { outputBytes }) };
  await startProcess(hands, { cwd: kit.workspace, ...parts, id: idOf(job, step), place, limits }, kit.environmentOf);
}

export const endedProcess = (job: HandsJob, step?: string): Promise<EndedProcess> =>
  untilEnded(job.hands, idOf(job, step), job.context.signal);

export async function runProcess(job: HandsJob, process: JobProcess): Promise<EndedProcess> {
  await beginProcess(job, process);
  return endedProcess(job, process.step);
}

/** The end of a process that an earlier attempt started; null if it certainly started none. */
export async function unlessAbsent<T>(end: Promise<T>): Promise<T | null> {
  try {
    return await end;
  } catch (error) {
    if (error instanceof HandsError && error.code === 'no_such_process') return null;
    throw error;
  }
}

/** The output of a process that the hands still have: at most `maxBytes`, rounded up to a whole part. */
export async function keptOutput(
  { hands }: HandsJob,
  { process, stdout }: EndedProcess,
  maxBytes: number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  const bytes = Math.min(stdout?.kept ?? 0, maxBytes);
  for (let offset = 0; offset < bytes;) {
    const args = { process, stream: 'stdout', offset, bytes: PART_BYTES, waitMs: 0 };
    const { data } = await hands.ask('read', args, OutputPart);
    if (data.length === 0) break;
    parts.push(data);
    offset += data.length;
  }
  return Buffer.concat(parts);
}
