import type { EventBody, EventOf } from '../journal/event.ts';
import { canonicalArguments } from '../journal/arguments.ts';
import type { Command } from '../state/decide.ts';
import { callsOf, keptTexts, offeredTools } from './offer.ts';
import { canShorten, compactIfDue } from './compaction.ts';
import type { Kit } from './kit.ts';
import { ModelEnd, type Message, type ModelCall, type ModelDelta, type ModelRequest } from './ports.ts';
import type { Session } from './session.ts';
import { inputMessage, storedAnswer, summaryMessage, turnMessages, warningAt } from './transcript.ts';
import type { RunState, Turn } from '../state/run-state.ts';

/** Maximum number of streamed characters of one answer. The complete answer contains the rest. */
const MAX_STREAMED_CHARS = 1_000_000;
const NO_USAGE = { prompt: 0, completion: 0, total: 0 };

type Ask = Extract<Command, { type: 'ask_model' }>;
type Failure = Extract<ModelEnd, { type: 'failed' }>;

export async function askModel(
  kit: Kit,
  session: Session,
  { ask, history }: Readonly<{ ask: Ask; history: readonly Message[] }>,
): Promise<void> {
  if (ask.delayMs > 0) await kit.ports.clock.sleep(ask.delayMs, session.stopped.signal);
  await compactIfDue(kit, session, { history, attempt: ask.attempt });
  if (session.stopped.signal.aborted) return;
  const { request, digest } = requestOf(kit, session, { history, ask });
  const at = { ask: ask.ask, attempt: ask.attempt };
  if (!session.append([{ type: 'model_asked', ...at, request: digest }])) return;
  const end = await streamed(kit, session, { ask, request });
  session.promptTokens = end.usage.prompt;
  if (end.type === 'failed') {
    const { code, usage, moneyMicros } = end;
    const next = { history, attempt: ask.attempt + 1 };
    const retryable = end.retryable || (code === 'context_too_long' && canShorten(kit, session, next));
    session.append([{ type: 'model_failed', ...at, code, retryable, usage, moneyMicros }]);
    return;
  }
  const { journal } = kit.ports;
  const message = journal.refer(storedAnswer(end.content, end.toolCalls));
  const body: EventBody = {
    type: 'model_answered',
    ...at,
    message: message.ref,
    hasText: end.content.trim() !== '',
    calls: end.toolCalls.map((call, index) => ({
      id: `${ask.ask}.${index}`,
      modelId: call.id,
      tool: call.name,
      arguments: journal.refer(canonicalArguments(call.arguments)).ref,
      effect: kit.tools.get(call.name)?.effect ?? null,
    })),
    usage: end.usage,
    moneyMicros: end.moneyMicros,
  };
  session.append([body], [message]);
}

/** Publishes the words of a stream as they arrive, until the run is cancelled. Returns the end of the stream. */
async function streamed(
  kit: Kit,
  session: Session,
  { ask, request }: Readonly<{ ask: Ask; request: ModelRequest }>,
): Promise<ModelEnd> {
  const ended = Promise.withResolvers<ModelEnd>();
  const over = new AbortController();
  const signal = AbortSignal.any([session.killed.signal, over.signal]);
  signal.addEventListener('abort', () => ended.resolve(failure('aborted')), { once: true });
  // A run that has used up its time has one more request, in which it can finish.
  const timeoutMs =
    session.timeLeftMs > 0 ? Math.min(kit.limits.modelTimeoutMs, session.timeLeftMs) : kit.limits.modelTimeoutMs;
  const cancel = kit.ports.clock.after(timeoutMs, () => ended.resolve(failure('timed_out')));
  try {
    const stream = kit.ports.model.chat(request, signal);
    return await Promise.race([readStream(kit, session, { ask, stream }), ended.promise]);
  } catch (error) {
    kit.ports.notify({ type: 'problem', run: session.run, where: 'model', error });
    return failure('network');
  } finally {
    cancel();
    over.abort();
  }
}

type Stream = AsyncIterable<ModelDelta | ModelEnd>;

async function readStream(
  kit: Kit,
  session: Session,
  { ask, stream }: Readonly<{ ask: Ask; stream: Stream }>,
): Promise<ModelEnd> {
  let chars = 0;
  for await (const part of stream) {
    if (session.killed.signal.aborted) return failure('aborted');
    if (part.type !== 'delta') return checked(part);
    chars += part.text.length;
    if (chars > MAX_STREAMED_CHARS) continue;
    kit.ports.notify({ type: 'delta', run: session.run, ask: ask.ask, attempt: ask.attempt, text: part.text });
  }
  return failure('cut');
}

function checked(given: unknown): ModelEnd {
  const { success, data: end } = ModelEnd.safeParse(given);
  if (!success) return failure('bad_answer');
  if (end.type === 'failed') return end;
  return new Set(end.toolCalls.map(({ id }) => id)).size === end.toolCalls.length ? end : failure('bad_answer');
}

const failure = (code: string): Failure => ({ type: 'failed', code, retryable: true, usage: NO_USAGE, moneyMicros: 0 });

type Basis = Readonly<{
  history: readonly Message[];
  ask: Readonly<{ ask: number; attempt: number; withTools: boolean }>;
}>;

/** The next request of a run whose calls are settled, with a digest of its content. */
function requestOf(
  kit: Kit,
  session: Session,
  { history, ask: { ask, attempt, withTools } }: Basis,
): Readonly<{ request: ModelRequest; digest: string }> {
  const { state } = session;
  const { model, run } = state.opened;
  const fixed = fixedSoFar(kit, session, history);
  const request: ModelRequest = {
    model,
    at: { run, ask, attempt },
    system: fixed.system,
    messages: [...fixed.messages, ...warningAt(state, state.turns.length)],
    tools: withTools ? offeredTools(kit, run, fixed.calls) : NO_TOOLS,
  };
  const basis = `${fixed.chain} ${withTools} ${state.warned?.afterTurns}`;
  return { request, digest: kit.ports.journal.refer(basis).ref };
}

const NO_TOOLS: ModelRequest['tools'] = [];

/** The fixed part of a run's requests. Mutable: each turn extends it, so that a long run does not read everything again. */
type Fixed = {
  readonly history: readonly Message[];
  readonly compacted: RunState['compacted'];
  readonly system: ModelRequest['system'];
  readonly messages: Message[];
  /** The calls of all turns, also of those that a summary replaced. */
  readonly calls: ModelCall[];
  turns: number;
  /** The digest of the parts so far; each part is hashed with the digest before it. */
  chain: string;
};

const kept = new WeakMap<EventOf<'run_opened'>, Fixed>();

function fixedSoFar(kit: Kit, session: Session, history: readonly Message[]): Fixed {
  const { journal } = kit.ports;
  const { state } = session;
  const { opened, turns } = state;
  const known = kept.get(opened);
  const isCurrent = known?.history === history && known.compacted === state.compacted;
  const fixed = isCurrent ? known : beginning(kit, session, history);
  kept.set(opened, fixed);
  for (const turn of turns.slice(fixed.turns)) {
    fixed.messages.push(...warningAt(state, fixed.turns), ...turnMessages(session, turn));
    fixed.calls.push(...callsOf(session, [turn]));
    fixed.turns += 1;
    fixed.chain = journal.refer(`${fixed.chain} ${partsOf(turn).join(' ')}`).ref;
  }
  return fixed;
}

const partsOf = ({ message, calls }: Turn): readonly (string | null)[] => [
  message,
  ...calls.map(({ result }) => result),
];

function beginning(kit: Kit, { state }: Readonly<{ state: RunState }>, history: readonly Message[]): Fixed {
  const { journal } = kit.ports;
  const { compacted, opened } = state;
  const calls = [...callsOf(journal, state.turns.slice(0, compacted?.turns ?? 0))];
  const { model, prompt, situation, recalled, input, after } = opened;
  const before = compacted === null ? history : [summaryMessage(journal, compacted.summary, keptTexts(kit, calls))];
  return {
    history,
    compacted,
    system: { stable: journal.textOf(prompt) ?? '', situation: journal.textOf(situation) ?? '' },
    messages: [...before, inputMessage(journal, state, true)],
    calls,
    turns: compacted?.turns ?? 0,
    chain: journal.refer([model, prompt, situation, recalled, input, compacted?.summary ?? after].join(' ')).ref,
  };
}
