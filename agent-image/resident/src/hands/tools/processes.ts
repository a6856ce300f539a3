import { z } from 'zod';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { OutputPart, ProcessRecord } from '../process-record.ts';
import { withRealAddresses } from '../package-environment.ts';
import { withRefusals } from '../refusals.ts';
import { endProcess } from '../start-process.ts';
import { fromOutside, okay } from '../../tools/tool-kit.ts';

const MAX_WAIT_MS = 60_000;
const STOP_MS = 30_000;
const STOP_GRACE_MS = 2_000;
const MAX_LISTED = 64;

/** Tools about the run's own processes; those of other runs cannot be addressed. */
export const processTools = (kit: HandsKit) => [
  handsTool(kit, 'read_output', { timeoutMs: MAX_WAIT_MS, polls: true, perform: readOutput }),
  handsTool(kit, 'list_processes', { timeoutMs: STOP_MS, polls: true, perform: (_input, job) => listProcesses(job) }),
  handsTool(kit, 'stop_process', { timeoutMs: STOP_MS, perform: stopProcess }),
];

const idOf = ({ context }: HandsJob, process: string): string => `${context.run}.${process}`;
const done = (text: string): HandsEnd => ({ outcome: okay(text), report: {} });

type Reading = Readonly<{ process: string; stream: string; offset: number; bytes: number; wait_s: number }>;

async function readOutput(
  { process, stream, offset, bytes, wait_s: waitS }: Reading,
  job: HandsJob,
): Promise<HandsEnd> {
  const id = idOf(job, process);
  const args = { process: id, stream, offset, bytes, waitMs: waitS * 1_000 };
  const { data, more } = await job.hands.ask('read', args, OutputPart);
  const record = await job.hands.ask('wait', { process: id, timeoutMs: 0 }, ProcessRecord);
  const next = offset + data.length;
  const head = `${stateOf(record)} Bytes ${offset} to ${next}${more ? `; read on with offset ${next}` : ', the end'}.`;
  // The text may come from a web page.
  const end = {
    outcome: fromOutside(`${head}\n${withRealAddresses(data.toString())}`),
    report: { bytes: data.length },
  };
  return withRefusals(end, job.kit.refusals.take({ run: job.context.run, call: process }));
}

async function listProcesses(job: HandsJob): Promise<HandsEnd> {
  const { processes } = await job.hands.ask(
    'list',
    { owner: job.context.run },
    z.object({ processes: z.array(ProcessRecord) }),
  );
  const lines = processes
    .slice(-MAX_LISTED)
    .map((record) => `- ${record.process.slice(job.context.run.length + 1)}: ${stateOf(record)}`);
  return done(lines.join('\n') || 'This run has started no process.');
}

async function stopProcess(
  { process, signal }: Readonly<{ process: string; signal?: string | undefined }>,
  job: HandsJob,
): Promise<HandsEnd> {
  const id = idOf(job, process);
  if (signal === undefined) {
    const record = await endProcess(job.hands, id, STOP_GRACE_MS);
    return done(`Process ${process} and all that it started have been ended. ${stateOf(record)}`);
  }
  await job.hands.ask('signal', { process: id, signal }, z.unknown());
  return done(`The signal ${signal} was sent to process ${process}.`);
}

export function stateOf({ exit, startedMs, endedMs }: ProcessRecord): string {
  if (exit === undefined) return `It has run since ${new Date(startedMs).toISOString()}.`;
  const seconds = ((endedMs ?? startedMs) - startedMs) / 1_000;
  return `It ended after ${seconds} s ${exit.code === undefined ? `by the signal ${exit.signal ?? ''}` : `with exit code ${exit.code}`}.${exit.note === undefined ? '' : ` ${exit.note}`}`;
}
