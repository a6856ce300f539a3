import { z } from 'zod';
import type { RunInput, RuntimeContext, RuntimeHost, RuntimeOutcome } from '../agent-runtime.ts';
import { defineTool, type CallContext } from '../effects/tool.ts';
import type { ToolOutcome } from '../effects/tool-outcome.ts';
import type { Engine } from '../loop/engine.ts';
import { NO_ANSWER } from '../loop/transcript.ts';
import type { Message, ModelEnd, ModelPort } from '../loop/ports.ts';
import { carryOut } from './engine-runtime.ts';

const FREE = { usage: { prompt: 0, completion: 0, total: 0 }, moneyMicros: 0 };
/** The call's timeout is longer than the program's by this much, so that the program times out first. */
const CALL_SLACK_MS = 30_000;
/** The prefix that the engine adds to the code of a model's failure. */
const MODEL = 'model_';

/** `resumes`: true if this mind has already answered in the conversation, so that its program can resume it. */
const CallInput = z.strictObject({ prompt: z.string(), resumes: z.boolean().default(false) });
export type CallInput = Readonly<z.infer<typeof CallInput>>;

/** A run that a program carries out. `thoughts`: those before its answer, which `perform` sets. `reason`: of its failure. Mutable. */
export type ProgramRun = {
  readonly input: RunInput;
  readonly context: RuntimeContext;
  thoughts: string;
  reason: string | undefined;
};

export type OneCallParts = Readonly<{
  /** The name of the call. The codes of its failures begin with it. */
  name: string;
  /** Maximum time of the program. */
  timeoutMs: number;
  perform: (input: CallInput, context: CallContext, run: ProgramRun) => Promise<ToolOutcome>;
  /** Messages for people by failure code, for failures that report no reason of their own. */
  words: Readonly<Record<string, string>>;
}>;

/** A mind that is a program: each run is one call with the effect `once`, whose result is the answer. */
export type OneCall = Readonly<{
  engine: Engine;
  carryOut: (input: RunInput, context: RuntimeContext) => Promise<RuntimeOutcome>;
}>;

export async function openOneCall(host: Pick<RuntimeHost, 'engineWith'>, parts: OneCallParts): Promise<OneCall> {
  const { name, timeoutMs, perform, words } = parts;
  const runs = new Map<string, ProgramRun>();
  const tool = defineTool({
    name,
    description: `Runs the ${name} of the agent.`,
    input: CallInput,
    effect: 'once',
    timeoutMs: timeoutMs + CALL_SLACK_MS,
    execute: async (input, context) => {
      const run = runs.get(context.run);
      if (run === undefined) return { kind: 'failed', code: `${name}_failed`, text: 'The run has ended.' };
      const outcome = await perform(input, context, run);
      if (outcome.kind === 'failed') run.reason = outcome.text;
      return outcome;
    },
  });
  const model = callingModel(name, (run) => runs.get(run)?.thoughts ?? '');
  const engine = await host.engineWith({ model, tools: [tool] });
  return {
    engine,
    carryOut: async (input, context) => {
      const run: ProgramRun = { input, context, thoughts: '', reason: undefined };
      runs.set(input.run, run);
      try {
        // The prompt of the call is the message of the person; `perform` decides how the program learns the situation.
        const prompt = { ...input.prompt, situation: '' };
        // A program reads the schema with its prompt. Another call could repeat its work, so one answer must do.
        const once = input.output === undefined ? {} : { output: { ...input.output, answers: 1 } };
        const outcome = await carryOut(engine, { ...input, ...once, prompt, model: name }, context);
        return worded(outcome, { name, words, reason: run.reason });
      } finally {
        runs.delete(input.run);
      }
    },
  };
}

/**
 * Replaces the model, so that the engine journals, cancels and asks for a program as in every run: it requests the single call,
 * and then answers with the call's result. A result other than `ok` is a failure with its code.
 */
const callingModel = (name: string, thoughtsOf: (run: string) => string): ModelPort => ({
  chat: async function* ({ messages, at }) {
    const last = messages.at(-1);
    const thoughts = at === null ? '' : thoughtsOf(at.run);
    yield last?.role === 'tool'
      ? answerTo(name, last, thoughts)
      : callFor(name, last?.content ?? '', hasAnswered(name, messages));
  },
});

/** True if this mind has answered in the conversation: an answer follows one of its calls. */
function hasAnswered(name: string, messages: readonly Message[]): boolean {
  let isOwn = false;
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    if (message.toolCalls.length === 0 && isOwn && !message.content.startsWith(NO_ANSWER)) return true;
    isOwn = message.toolCalls.some((call) => call.name === name);
  }
  return false;
}

const callFor = (name: string, prompt: string, resumes: boolean): ModelEnd => ({
  type: 'answer',
  content: '',
  toolCalls: [{ id: name, name, arguments: JSON.stringify({ prompt, resumes }) }],
  finish: 'tool_calls',
  reasoning: [],
  ...FREE,
});

function answerTo(
  name: string,
  { content, outcome, code: found = '' }: Extract<Message, { role: 'tool' }>,
  thoughts: string,
): ModelEnd {
  const reasoning = thoughts === '' ? [] : [{ text: thoughts, sealed: null }];
  if (outcome === 'ok') return { type: 'answer', content, toolCalls: [], finish: 'stop', reasoning, ...FREE };
  const otherwise = outcome === 'unknown' ? `${name}_unknown` : `${name}_failed`;
  const code = found.startsWith(`${name}_`) ? found : otherwise;
  return { type: 'failed', code, retryable: false, retryAfterMs: null, ...FREE };
}

type Words = Pick<OneCallParts, 'name' | 'words'> & Readonly<{ reason: string | undefined }>;

function worded(outcome: RuntimeOutcome, { name, words, reason }: Words): RuntimeOutcome {
  if (outcome.kind !== 'failed' || !outcome.code.startsWith(`${MODEL}${name}_`)) return outcome;
  const code = outcome.code.slice(MODEL.length);
  return { ...outcome, code, message: reason ?? words[code] ?? `The ${name} failed.` };
}
