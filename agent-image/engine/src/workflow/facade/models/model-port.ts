import type { ChatOutcome, TokenUsage } from '@hamlet/models';
import type { ModelDelta, ModelEnd, ModelPort, ModelRequest } from '../../../loop/ports.ts';
import { openModel, type Environment, type ModelEntry, type OpenedModel } from './open-model.ts';
import { wireRequest } from './wire-request.ts';

/** The words behind a failure. `code` is that of the end of the stream; `message` has no key. `run` is null outside of runs. */
export type ModelFailure = Readonly<{ model: string; run: string | null; code: string; message: string }>;

type ModelSetup = Readonly<{
  models: readonly ModelEntry[];
  /** The only source of keys. Read when a model is used for the first time. */
  env: Environment;
  onFailure?: (failure: ModelFailure) => void;
}>;

/** Parts of a thought that an answer keeps, the newest ones. */
const REASONING_KEPT = 64;
const UNUSED = { prompt: 0, completion: 0, total: 0 };

/**
 * The models of agents.yaml, by their ids, as a port of the engine. It streams, counts tokens, and ends each request with one answer
 * or one failure, whose code is a `ModelErrorCode` of `@hamlet/models`. Money is 0: the plugin for costs knows the prices.
 */
export function createModelPort(setup: ModelSetup): ModelPort {
  const opened = new Map<string, Promise<OpenedModel>>();
  const open = (id: string): Promise<OpenedModel> | null => {
    const entry = setup.models.find((each) => each.id === id);
    if (entry === undefined) return null;
    const model = opened.get(id) ?? openModel(entry, setup.env);
    opened.set(id, model);
    return model;
  };
  return { chat: (request, signal) => chat({ ...setup, open }, request, signal) };
}

type Opening = ModelSetup & Readonly<{ open: (id: string) => Promise<OpenedModel> | null }>;

async function* chat(
  { open, models, onFailure }: Opening,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta | ModelEnd> {
  const fail = (failure: Failure): ModelEnd => {
    onFailure?.({ model: request.model, run: request.at?.run ?? null, code: failure.code, message: failure.message });
    return endOf(failure);
  };
  const opened = await open(request.model);
  if (opened === null) {
    const known = models.map(({ id }) => id).join(', ') || 'no model';
    yield fail({ code: 'no_such_model', message: `no model ${request.model}: agents.yaml has ${known}` });
  } else if (!opened.ok) yield fail(opened);
  else yield* send(opened, { request, signal, fail });
}

type Failure = Readonly<{ code: string; message: string }> &
  Partial<Readonly<{ retryable: boolean; retryAfterMs: number | null; usage: typeof UNUSED }>>;

const endOf = ({ code, retryable = false, retryAfterMs = null, usage = UNUSED }: Failure): ModelEnd => ({
  type: 'failed',
  code,
  retryable,
  retryAfterMs,
  usage,
  moneyMicros: 0,
});

type Sending = Readonly<{ request: ModelRequest; signal: AbortSignal; fail: (failure: Failure) => ModelEnd }>;

async function* send(
  { model, provider, settings }: Extract<OpenedModel, { ok: true }>,
  { request, signal, fail }: Sending,
): AsyncGenerator<ModelDelta | ModelEnd> {
  const { EMPTY_ANSWER, foldDelta, MODEL_ERRORS, outcomeOf } = await import('@hamlet/models');
  const { request: asked, nameOf } = wireRequest(request, provider);
  let state = EMPTY_ANSWER;
  for await (const delta of model.stream({ ...asked, ...settings, signal })) {
    state = foldDelta(state, delta);
    if (delta.kind === 'text') yield { type: 'delta', text: delta.text };
  }
  const outcome = outcomeOf(state);
  const usage = usageOf(outcome);
  if (outcome.ok) {
    const { content, toolCalls, finish, reasoningItems } = outcome.answer;
    const calls = toolCalls.map((call) => ({ ...call, name: nameOf(call.name) }));
    const reasoning = reasoningItems.slice(-REASONING_KEPT);
    yield { type: 'answer', content, toolCalls: calls, finish, reasoning, usage, moneyMicros: 0 };
    return;
  }
  const { code, message, retryAfterMs = null } = outcome.error;
  // The model may write a better answer the next time.
  const retryable = MODEL_ERRORS[code].retry || code === 'bad_answer';
  yield fail({ code, message, retryable, retryAfterMs, usage });
}

/** The tokens of all attempts: a request that the adapter had to mend was sent twice. */
function usageOf(outcome: ChatOutcome): typeof UNUSED {
  const { usage, failedAttempts } = outcome.ok ? outcome.answer : outcome.partial;
  const all: readonly TokenUsage[] = [usage, ...failedAttempts.map((attempt) => attempt.usage)];
  const sum = (of: (each: TokenUsage) => number): number => all.reduce((total, each) => total + of(each), 0);
  return {
    prompt: sum(({ promptTokens }) => promptTokens),
    completion: sum(({ completionTokens }) => completionTokens),
    total: sum(({ totalTokens }) => totalTokens),
  };
}
