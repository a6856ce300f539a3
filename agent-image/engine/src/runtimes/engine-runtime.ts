import type {
  AgentRuntime,
  RunInput,
  RuntimeContext,
  RuntimeHost,
  RuntimeOutcome,
  SpeechInput,
} from '../agent-runtime.ts';
import { doneWith, ProcessEnding, RunCancelled, RunFailure } from '../agent-runtime.ts';
import { JournalError } from '../journal/journal.ts';
import type { RunOutcome } from '../loop/advance.ts';
import type { Begun, Engine } from '../loop/engine.ts';
import type { ModelPort } from '../loop/ports.ts';

const STAGE = { id: 'main', plan: 'Answer the message.' };

/** The runtime of an agent with a model: the journaled loop. Its conversation is the session. */
export function createEngineRuntime(): AgentRuntime {
  let host: RuntimeHost | null = null;
  return {
    initialize: async (_config, given) => {
      host = given;
    },
    execute: async (input, context) => {
      if (host === null) throw new Error('initialize the runtime first');
      if (input.kind === 'speech') return speakOnce(host.model, input, context.signal);
      return carryOut(await host.engine(), input, context);
    },
    terminate: async () => {},
  };
}

async function speakOnce(
  model: ModelPort,
  { text, prompt, model: name }: SpeechInput,
  signal: AbortSignal,
): Promise<RuntimeOutcome> {
  const messages = [{ role: 'user' as const, content: text }];
  for await (const part of model.chat({ model: name, at: null, system: prompt, messages, tools: [] }, signal)) {
    if (part.type === 'failed') throw new RunFailure(`model_${part.code}`, `The model did not answer: ${part.code}.`);
    if (part.type === 'answer') return doneWith(part.content);
  }
  throw new RunFailure('model_cut', 'The model did not answer: its stream ended too early.');
}

export const carryOut = (engine: Engine, input: RunInput, context: RuntimeContext): Promise<RuntimeOutcome> =>
  workOnRun(engine, { run: input.run, begin: () => begin(engine, input, context) }, context.signal);

/** `begin` continues the run, or starts it. */
type Work = Readonly<{ run: string; begin: () => Promise<Begun> }>;

/** Works on a run until it ends or waits. The signal cancels or releases it, as that of `AgentRuntime.execute` does. */
export async function workOnRun(
  engine: Engine,
  { run, begin: beginWork }: Work,
  signal: AbortSignal,
): Promise<RuntimeOutcome> {
  const ended = engine.outcomeOf(run);
  if (ended !== null) return outcomeOf(ended);
  const onAbort = (): void => {
    void stop(engine, run, signal.reason);
  };
  try {
    const begun = await beginWork();
    // The parent run was released in between; it continues both runs later.
    if (!begun.ok && begun.code === 'parent_not_active') return { kind: 'interrupted' };
    if (!begun.ok) throw new RunFailure(begun.code, `The engine does not work on the run: ${begun.code}.`);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    return outcomeOf(await begun.outcome);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** If the journal cannot be written, the work stops all the same, and its own next write reports the failure. */
async function stop(engine: Engine, run: string, reason: unknown): Promise<void> {
  try {
    if (reason instanceof RunCancelled) engine.cancel(run);
    else await engine.release(run, reason instanceof ProcessEnding ? 'gently' : 'now');
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
  }
}

async function begin(engine: Engine, input: RunInput, { sessionId }: RuntimeContext): Promise<Begun> {
  const { run, text, prompt, model, budgets, answers, parent, output } = input;
  if (model === '') throw new RunFailure('no_model', 'The agent has no language model. Name one in spec.model.');
  const resumed = engine.resume(run, { answers, budgets });
  if (resumed.ok || resumed.code !== 'no_such_run') return resumed;
  const given = { ...(parent && { parent }), ...(output && { output }) };
  return engine.start({ run, conversation: sessionId, input: text, prompt, model, budgets, stage: STAGE, ...given });
}

function outcomeOf(outcome: RunOutcome): RuntimeOutcome {
  switch (outcome.kind) {
    case 'done':
    case 'cancelled':
      return outcome;
    case 'failed':
      return { ...outcome, message: wordsOf(outcome.code) };
    case 'waiting':
      return waitOf(outcome);
    default:
      return outcome satisfies never;
  }
}

function waitOf(outcome: Extract<RunOutcome, { kind: 'waiting' }>): RuntimeOutcome {
  switch (outcome.for) {
    case 'engine':
      return { kind: 'interrupted' };
    case 'model':
      return { kind: 'parked', code: outcome.code, waitMs: outcome.waitMs };
    case 'permission':
      return { kind: 'waiting', requests: outcome.requests };
  }
}

const WORDS: Readonly<Record<string, string>> = {
  budget_steps: 'The run used up its budget of steps.',
  budget_tokens: 'The run used up its budget of tokens.',
  budget_money: 'The run used up its budget of money.',
  budget_time: 'The run used up its budget of time.',
  no_progress: 'The run repeated the same calls with the same results.',
  empty_answer: 'The model gave no answer in words.',
  answer_cut: 'The answer is longer than the model may write, even in several parts.',
  output_not_valid: 'The answer does not fit the output schema of the run.',
  diverged: 'The journal has other arguments than the call.',
};

function wordsOf(code: string): string {
  if (code.startsWith('model_')) return `The model did not answer: ${code.slice('model_'.length)}.`;
  return WORDS[code] ?? `The run failed: ${code}.`;
}
