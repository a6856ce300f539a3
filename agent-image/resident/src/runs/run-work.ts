import { RUN_REASON_MAX_CHARS, RUN_STEPS_MAX } from '@hamlet/contract/resident';
import type { RunStep } from '@hamlet/contract';
import type { StartedRun } from '../village/village.ts';
import { RunFailure, type RunWork, type ToolResult } from '@hamlet/engine';
import type { BodyLock } from '../engine/body-lock.ts';
import { shorten } from '@hamlet/core/shorten';
import { fitting } from '../brain/speech.ts';
import type { RunMemory } from './run-memory.ts';
import { surroundingsOf } from './surroundings.ts';
import { actOnce, createTools, findAgent, goTo, lookAround, usePlace, type ToolPorts, type Tools } from './tools.ts';

/** Ends the work on a run: its lease has lapsed, and another process may take it. */
export class LeaseLost extends Error {}

export interface RunWorkPorts extends ToolPorts {
  readonly cycle: number;
  readonly body: BodyLock;
  readonly memory: RunMemory;
  readonly stepsMax: () => number | null;
}

export interface Progress {
  readonly done: readonly string[];
  readonly underWay: string | null;
}

type Perform = (step: number) => Promise<ToolResult>;
type StepPorts = Pick<RunWorkPorts, 'stepsMax'> & { readonly record: (step: RunStep) => Promise<void> };

/** Numbers the tool calls of one run, and answers a recorded step from the record. Mutable, because it counts. */
class Steps implements Progress {
  readonly done: string[] = [];
  underWay: string | null = null;
  #count = 0;
  readonly #recorded: ReadonlyMap<number, RunStep>;
  readonly #ports: StepPorts;

  constructor(recorded: readonly RunStep[], ports: StepPorts) {
    this.#recorded = new Map(recorded.map((step) => [step.step, step]));
    this.#ports = ports;
  }

  async take(words: string, perform: Perform): Promise<ToolResult> {
    const step = this.#count;
    this.#count += 1;
    if (step >= RUN_STEPS_MAX) throw new RunFailure('too_many_steps', `A run may take ${RUN_STEPS_MAX} steps`);
    this.underWay = words;
    const { outcome, text } = this.#recorded.get(step) ?? (await this.#performNow(step, perform));
    this.underWay = null;
    this.done.push(text);
    return { outcome, text };
  }

  async #performNow(step: number, perform: Perform): Promise<ToolResult> {
    const allowed = this.#ports.stepsMax();
    if (allowed !== null && step >= allowed)
      throw new RunFailure('too_many_steps', `My tier allows ${allowed} steps in one run`);
    const { outcome, text } = await perform(step);
    const record: RunStep = { step, outcome, text: shorten(text.toWellFormed(), RUN_REASON_MAX_CHARS) };
    await this.#ports.record(record);
    return record;
  }
}

/** The tools of one run; `signal` aborts when it must end. The idempotency key of each attempt makes a repeated step harmless. */
export function createRunWork(
  ports: RunWorkPorts,
  { run, steps: recorded }: Pick<StartedRun, 'run' | 'steps'>,
  signal: AbortSignal,
): { readonly work: RunWork; readonly progress: Progress } {
  const tools = createTools(ports, run.run_id, signal);
  const lease = { cycle: ports.cycle, attempt: run.attempt };
  const record = async (step: RunStep): Promise<void> => {
    const answer = await tools.ask(() => ports.village.noteStep(run.run_id, lease, step));
    if (answer.kind === 'refused' && answer.code === 'claim_lapsed') throw new LeaseLost(answer.detail);
    // The API has ended the run.
    if (answer.kind === 'refused') throw new RunFailure(answer.code, answer.detail);
  };
  const steps = new Steps(recorded, { record, stepsMax: ports.stepsMax });
  const take = async (words: string, perform: Perform): Promise<ToolResult> => {
    signal.throwIfAborted();
    return steps.take(words, perform);
  };
  const conversation = run.session_id ?? run.run_id;
  const remembering = {
    recall: () => take('remembering', () => ports.memory.recall(run.run_id)),
    forget: () => take('forgetting', async () => ports.memory.forgetLast(run.run_id, conversation)),
  };
  return { work: { ...workWith(tools, take, { ...ports, signal }), ...remembering }, progress: steps };
}

function workWith(
  tools: Tools,
  take: (words: string, perform: Perform) => Promise<ToolResult>,
  { agentId, body, signal }: Pick<RunWorkPorts, 'agentId' | 'body'> & { readonly signal: AbortSignal },
): Omit<RunWork, 'recall' | 'forget'> {
  const walk = (run: () => Promise<ToolResult>): Promise<ToolResult> => body.walk(signal, run);
  return {
    surroundings: async () => {
      const here = surroundingsOf((await tools.world()).view, agentId);
      if (here === null) throw new RunFailure('not_in_the_world', 'The agent is not in the world');
      return here;
    },
    go: (placeId) => take(`going to ${placeId}`, (step) => walk(() => goTo(tools, placeId, step))),
    find: (wanted) => take(`looking for ${wanted}`, (step) => walk(() => findAgent(tools, wanted, step))),
    say: (text, to) => {
      const words = fitting(text);
      const said = `I said “${words}”${to === null ? '' : ` to ${to}`}.`;
      return take('speaking', (step) =>
        actOnce(tools, { kind: 'talk', text: words, ...(to === null ? {} : { to }) }, { step, words: said }),
      );
    },
    use: () => take('using the place', (step) => usePlace(tools, step)),
    look: () => take('looking around', () => lookAround(tools)),
  };
}
