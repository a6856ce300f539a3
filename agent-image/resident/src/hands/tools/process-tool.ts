import type { Tool } from '@hamlet/engine';
import { HandsError } from '../hands-client.ts';
import { handsTool, type Described, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { processIdOf, startProcess, untilEnded } from '../start-process.ts';
import { failed } from '../../tools/tool-kit.ts';
import { endOfProcess } from './ended-process.ts';

/** The process of a call. */
export interface PlannedProcess {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The command as the log shows it. */
  readonly command: string;
}

/** A refusal before anything starts. */
export interface ProcessRefusal {
  readonly code: string;
  readonly text: string;
}

interface ProcessWork<Input> {
  readonly seconds: number;
  readonly plan: (input: Input, job: HandsJob) => Promise<PlannedProcess | ProcessRefusal>;
  /** Changes the end for the model, for example by what to do about a failure; default none. */
  readonly explain?: (end: HandsEnd, input: Input) => HandsEnd;
}

/** A tool whose call is one process. The id of the call names the process, so that a repeated start starts nothing. */
export function processTool<Input>(kit: HandsKit, described: Described<Input>, work: ProcessWork<Input>): Tool {
  const ended = async (input: Input, job: HandsJob, planned: PlannedProcess): Promise<HandsEnd> => {
    const record = await untilEnded(job.hands, processIdOf(job.context), job.context.signal);
    const { command, cwd } = planned;
    const end = endOfProcess(record, { command, cwd, seconds: work.seconds });
    return work.explain?.(end, input) ?? end;
  };
  return handsTool(kit, described, {
    timeoutMs: work.seconds * 1_000,
    mayWait: true,
    namesRefusals: true,
    perform: async (input, job) => {
      const planned = await work.plan(input, job);
      if ('code' in planned) return { outcome: failed(planned.code, planned.text), report: {} };
      await start(job, planned, work.seconds);
      return ended(input, job, planned);
    },
    recover: async (input, job) => {
      const planned = await work.plan(input, job);
      if ('code' in planned) return null;
      try {
        return await ended(input, job, planned);
      } catch (error) {
        if (error instanceof HandsError && error.code === 'no_such_process') return null;
        throw error;
      }
    },
  });
}

async function start(
  { hands, kit, context, waitsMs }: HandsJob,
  planned: PlannedProcess,
  seconds: number,
): Promise<void> {
  const place = { run: context.run, call: context.call };
  const { argv, cwd, env, stdin } = planned;
  await startProcess(
    hands,
    {
      id: processIdOf(place),
      place,
      argv,
      cwd,
      ...(env === undefined ? {} : { env }),
      ...(stdin === undefined ? {} : { stdin }),
      limits: { timeoutMs: seconds * 1_000 + waitsMs },
    },
    kit.environmentOf,
  );
}
