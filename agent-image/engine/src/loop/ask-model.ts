import { z } from 'zod';
import type { Tool } from '../effects/tool.ts';
import { MAX_REPAIRS, type ContextPart, type EventBody, type EventOf } from '../journal/event.ts';
import { readOutput, type ReadOutput } from '../effects/read-output.ts';
import { repairArguments, type RepairedArguments } from '../effects/repair-arguments.ts';
import type { JsonSchema } from '../json/index.ts';
import type { Command } from '../state/decide.ts';
import type { History } from './history.ts';
import { callsOf, keptTexts, offeredTools } from './offer.ts';
import { callInWords } from './call-in-words.ts';
import { bytesPerToken, canShorten, compactIfDue } from './compaction.ts';
import type { Kit } from './kit.ts';
import { ModelEnd, ModelUse, type Message, type ModelCall, type ModelDelta, type ModelRequest } from './ports.ts';
import { hasImages, withRecentImages } from './recent-images.ts';
import type { Session } from './session.ts';
import { withinTime } from '../effects/within-time.ts';
import { answerText, appendTurns, appendWords, bytesOf, firstMessage, storedAnswer, wordsAfter } from './transcript.ts';
import {
  emptyTurns,
  isContinued,
  isLastRequest,
  MAX_EMPTY_ANSWERS,
  type RunState,
  type Turn,
} from '../state/run-state.ts';

/** Maximum number of streamed characters of one answer. The complete answer contains the rest. */
const MAX_STREAMED_CHARS = 1_000_000;
const NO_USAGE = { prompt: 0, completion: 0, total: 0 };

type Ask = Extract<Command, { type: 'ask_model' }>;
type Failure = Extract<ModelEnd, { type: 'failed' }>;

export async function askModel(
  kit: Kit,
  session: Session,
  { ask, history }: Readonly<{ ask: Ask; history: History }>,
): Promise<void> {
  if (ask.delayMs > 0) await kit.ports.clock.sleep(ask.delayMs, session.stopped.signal);
  const whole = fixedSoFar(kit, session, history);
  const tools = offeredTools(kit, session.run, whole.calls);
  const ofTools = tools.reduce((sum, tool) => sum + toolBytes(tool), 0);
  await compactIfDue(kit, session, { history, attempt: ask.attempt, bytes: whole.bytes + ofTools });
  if (session.stopped.signal.aborted) return;
  const fixed = fixedSoFar(kit, session, history);
  const sent = fixed.bytes + ofTools;
  const isLast = isLastRequest(session.state);
  const { request, digest } = requestOf(kit, session, { fixed, ask, tools: isLast ? NO_TOOLS : tools });
  const at = { ask: ask.ask, attempt: ask.attempt };
  const news = contextBuilt(kit, session, { fixed, ofTools });
  if (!session.append([...news, { type: 'model_asked', ...at, request: digest }])) return;
  fixed.isJournaled = true;
  const isWithdrawn = (): boolean => isLast && !isLastRequest(session.state);
  const answer = await streamed(kit, session, { ask, request, isWithdrawn });
  const end = isWithdrawn() ? failure('limits_raised', answer) : answer;
  if (end.type === 'failed') {
    const { code, retryAfterMs, usage, moneyMicros } = end;
    const next = { history, attempt: ask.attempt + 1, bytes: sent };
    const retryable = end.retryable || (code === 'context_too_long' && canShorten(kit, session, next));
    session.append([{ type: 'model_failed', ...at, code, retryable, retryAfterMs, usage, moneyMicros }]);
    return;
  }
  session.sized = end.usage.prompt > 0 ? { tokens: end.usage.prompt, bytes: sent } : null;
  record(kit, session, { at, end });
}

type StoredCall = EventOf<'model_answered'>['calls'][number];

type Recorded = Readonly<{
  at: Readonly<{ ask: number; attempt: number }>;
  end: Extract<ModelEnd, { type: 'answer' }>;
}>;

function record(kit: Kit, session: Session, { at, end }: Recorded): void {
  const { journal } = kit.ports;
  const tools = kit.toolsOf(session.run);
  const repaired = end.toolCalls.map((call, index) => {
    const isCut = end.finish === 'length' && index === end.toolCalls.length - 1;
    return repairArguments(call.arguments, tools.get(call.name), isCut);
  });
  const toolCalls = end.toolCalls.map((call, index) => ({ ...call, arguments: repaired[index]?.text ?? '' }));
  const answer = storedAnswer({ ...end, toolCalls });
  const message = journal.refer(JSON.stringify(answer));
  const read = outputIn(session, end);
  const hasText = read?.code === null || isText(session.state, tools, end);
  const output = read === null || !hasText ? null : { ...read, payload: journal.refer(read.text) };
  const written = repaired.map(({ canonical }) => journal.refer(canonical));
  const body: EventBody = {
    type: 'model_answered',
    ...at,
    message: message.ref,
    hasText,
    finish: end.finish,
    calls: end.toolCalls.map((call, index) => ({
      id: `${at.ask}.${index}`,
      modelId: call.id,
      tool: call.name,
      arguments: written[index]?.ref ?? '',
      effect: tools.get(call.name)?.effect ?? null,
      ...repairIn(repaired[index]),
    })),
    ...(output && {
      output: { code: output.code, text: output.payload.ref, repair: output.repair.slice(0, MAX_REPAIRS) },
    }),
    usage: end.usage,
    moneyMicros: end.moneyMicros,
  };
  session.append([body], output === null ? [message] : [message, output.payload]);
  session.turn = {
    answers: new Map([[message.ref, answer]]),
    arguments: new Map(written.map(({ ref, text }) => [ref, text])),
    outcomes: new Map(),
  };
}

/**
 * True if an answer has words for a person. Words that end with a call written as text do not count, so that the model
 * makes the call. They do count if they continue a cut text, report about a budget, or come again after each request
 * for a call, because they then quote a call.
 */
function isText(state: RunState, tools: ReadonlyMap<string, Tool>, { content }: Recorded['end']): boolean {
  if (content.trim() === '') return false;
  const call = callInWords(content, new Set(tools.keys()));
  if (call !== 'after_words') return call === null;
  return isContinued(state) || isLastRequest(state) || emptyTurns(state) === MAX_EMPTY_ANSWERS - 1;
}

/** The answer, checked against the schema of the run; null without a schema, before the end of the answer, and for a last report about a budget. */
function outputIn(session: Session, { content, toolCalls, finish }: Recorded['end']): ReadOutput | null {
  const { state } = session;
  const schema = schemaOf(session, state.opened);
  const isWhole = toolCalls.length === 0 && finish !== 'length' && content.trim() !== '';
  if (schema === null || !isWhole || isLastRequest(state)) return null;
  const before = isContinued(state) ? answerText(session, state) : '';
  return readOutput(`${before}${content}`, schema);
}

const schemas = new WeakMap<EventOf<'run_opened'>, JsonSchema>();

/** The schema of a run, parsed once. If its text was deleted, any JSON fits; the API holds it to its own copy. */
function schemaOf(session: Session, opened: EventOf<'run_opened'>): JsonSchema | null {
  if (opened.output === undefined) return null;
  const known = schemas.get(opened) ?? (JSON.parse(session.textOf(opened.output.schema) ?? '{}') as JsonSchema);
  schemas.set(opened, known);
  return known;
}

const repairIn = (repaired: RepairedArguments | undefined): Pick<StoredCall, 'repair'> =>
  repaired === undefined || repaired.repair === null ? {} : { repair: repaired.repair.actions.slice(0, MAX_REPAIRS) };

/** True once a person has raised the limits that made the request the last one: its answer is not used. */
type Withdrawal = Readonly<{ isWithdrawn: () => boolean }>;

/** Publishes the words of a stream as they arrive, until the run is cancelled. Returns the end of the stream. */
async function streamed(
  kit: Kit,
  session: Session,
  { ask, request, isWithdrawn }: Readonly<{ ask: Ask; request: ModelRequest }> & Withdrawal,
): Promise<ModelEnd> {
  // A run that has used up its time has one more request, in which it can finish.
  const timeoutMs =
    session.timeLeftMs > 0 ? Math.min(kit.limits.modelTimeoutMs, session.timeLeftMs) : kit.limits.modelTimeoutMs;
  const limit = { timeoutMs, signal: session.killed.signal, after: kit.ports.clock.after };
  const read = (signal: AbortSignal): Promise<ModelEnd> =>
    readStream(kit, session, { ask, stream: kit.ports.model.chat(request, signal), isWithdrawn });
  try {
    return await withinTime<ModelEnd>(limit, read, {
      timedOut: () => failure('timed_out'),
      aborted: () => failure('aborted'),
    });
  } catch (error) {
    kit.ports.notify({ type: 'problem', run: session.run, where: 'model', error });
    return failure('network');
  }
}

type Stream = AsyncIterable<ModelDelta | ModelEnd>;

async function readStream(
  kit: Kit,
  session: Session,
  { ask, stream, isWithdrawn }: Readonly<{ ask: Ask; stream: Stream }> & Withdrawal,
): Promise<ModelEnd> {
  let chars = 0;
  for await (const part of stream) {
    if (session.killed.signal.aborted) return failure('aborted');
    if (part.type !== 'delta') return checked(part);
    if (isWithdrawn()) return failure('limits_raised');
    chars += part.text.length;
    if (chars > MAX_STREAMED_CHARS) continue;
    kit.ports.notify({ type: 'delta', run: session.run, ask: ask.ask, attempt: ask.attempt, text: part.text });
  }
  return failure('cut');
}

/** The end of a stream as the engine may store it: parsed, with unique ids and well-formed text. */
function checked(given: unknown): ModelEnd {
  const { success, data: end } = ModelEnd.safeParse(given);
  if (!success) return failure('bad_answer', ModelUse.safeParse(given).data);
  if (end.type === 'failed') return end;
  const toolCalls = end.toolCalls.map((call) => ({
    id: plain(call.id),
    name: plain(call.name),
    arguments: call.arguments.toWellFormed(),
  }));
  if (new Set(toolCalls.map(({ id }) => id)).size !== toolCalls.length) return failure('bad_answer', end);
  return { ...end, content: end.content.toWellFormed(), toolCalls };
}

/** Keeps printable ASCII: an event holds the ids and names of all calls, and its bytes are limited. */
const plain = (name: string): string => name.replaceAll(/[^ -~]/g, '?');

const failure = (code: string, { usage, moneyMicros }: ModelUse = { usage: NO_USAGE, moneyMicros: 0 }): Failure => ({
  type: 'failed',
  code,
  retryable: true,
  retryAfterMs: null,
  usage,
  moneyMicros,
});

type Basis = Readonly<{ fixed: Fixed; ask: Ask; tools: ModelRequest['tools'] }>;

/** The next request of a run whose calls are settled, with a digest of its content. */
function requestOf(
  { ports: { journal } }: Kit,
  { state }: Session,
  { fixed, ask: { ask, attempt }, tools }: Basis,
): Readonly<{ request: ModelRequest; digest: string }> {
  const { model, run } = state.opened;
  const messages = [...fixed.messages];
  const words = wordsAfter(journal, state, state.turns.length);
  for (const each of words) appendWords(messages, each);
  const request: ModelRequest = { model, at: { run, ask, attempt }, system: fixed.system, messages, tools };
  const added = isLastRequest(state) ? ['without tools', ...words] : words;
  return { request, digest: added.length === 0 ? fixed.chain : journal.refer(`${fixed.chain} ${added.join(' ')}`).ref };
}

const NO_TOOLS: ModelRequest['tools'] = [];

/** Measured once for each tool, because a schema is costly to write. */
const toolSizes = new WeakMap<z.ZodType, number>();

function toolBytes({ name, description, input }: ModelRequest['tools'][number]): number {
  const known = toolSizes.get(input);
  if (known !== undefined) return known;
  const schema = JSON.stringify(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }));
  const bytes = Buffer.byteLength(`${name} ${description} ${schema}`);
  toolSizes.set(input, bytes);
  return bytes;
}

/** The fixed part of a run's requests. Mutable: each turn extends it, so that a long run does not read everything again. */
type Fixed = {
  readonly history: History;
  readonly compacted: RunState['compacted'];
  readonly system: ModelRequest['system'];
  messages: Message[];
  /** The calls of all turns, also of those that a summary replaced. */
  readonly calls: ModelCall[];
  turns: number;
  bytes: number;
  /** The texts that tools keep of the calls in the summary. */
  readonly kept: readonly string[];
  /** True once the journal has the parts with which the requests begin. */
  isJournaled: boolean;
  /** The digest of the parts so far; each part is hashed with the digest before it. */
  chain: string;
};

const kept = new WeakMap<EventOf<'run_opened'>, Fixed>();

function fixedSoFar(kit: Kit, session: Session, history: History): Fixed {
  const { journal } = kit.ports;
  const { state } = session;
  const { opened, turns } = state;
  const known = kept.get(opened);
  const isCurrent = known?.history === history && known.compacted === state.compacted;
  const fixed = isCurrent ? known : beginning(kit, session, history);
  kept.set(opened, fixed);
  for (const turn of turns.slice(fixed.turns)) {
    const before = fixed.messages.length;
    appendTurns(fixed.messages, session, { state, from: fixed.turns, to: fixed.turns + 1 });
    fixed.calls.push(...callsOf(session, [turn]));
    fixed.turns += 1;
    const added = fixed.messages.slice(before);
    fixed.bytes += bytesOf(added);
    fixed.chain = journal.refer(`${fixed.chain} ${partsOf(turn).join(' ')}`).ref;
    // No later request shows an image again that this one leaves out, so the run need not hold it.
    if (hasImages(added)) fixed.messages = withRecentImages(fixed.messages);
  }
  return fixed;
}

const partsOf = ({ message, calls }: Turn): readonly (string | null)[] => [
  message,
  ...calls.map(({ result }) => result),
];

function beginning(kit: Kit, { state }: Readonly<{ state: RunState }>, history: History): Fixed {
  const { journal } = kit.ports;
  const { compacted, opened } = state;
  const calls = [...callsOf(journal, state.turns.slice(0, compacted?.turns ?? 0))];
  const { model, prompt, situation, recalled, input, output, after } = opened;
  const system = { stable: journal.textOf(prompt) ?? '', situation: '' };
  const keptBefore = keptTexts(kit.toolsOf(opened.run), calls);
  const messages = withRecentImages([
    ...(compacted === null ? history.messages : []),
    firstMessage(journal, state, { isPresent: true, kept: keptBefore }),
  ]);
  return {
    history,
    compacted,
    system,
    messages,
    calls,
    kept: keptBefore,
    isJournaled: false,
    turns: compacted?.turns ?? 0,
    bytes: Buffer.byteLength(system.stable) + bytesOf(messages),
    chain: journal.refer(
      [model, prompt, situation, recalled, input, output?.schema, compacted?.summary ?? after].join(' '),
    ).ref,
  };
}

/** The event that lists the parts with which requests begin until the next summary, once, so that people see what the model knew. */
function contextBuilt(
  kit: Kit,
  session: Session,
  { fixed, ofTools }: Readonly<{ fixed: Fixed; ofTools: number }>,
): readonly EventBody[] {
  if (fixed.isJournaled) return [];
  const { journal } = kit.ports;
  const { opened, compacted } = session.state;
  const ratio = bytesPerToken(session);
  const part = (source: ContextPart['source'], bytes: number, text: string | null): readonly ContextPart[] =>
    bytes === 0 ? [] : [{ source, form: 'whole', tokens: Math.ceil(bytes / ratio), text, run: null }];
  const stored = (source: ContextPart['source'], ref: string): readonly ContextPart[] =>
    part(source, Buffer.byteLength(journal.textOf(ref) ?? ''), ref);
  const history = compacted === null ? fixed.history.parts : [];
  const parts = [
    ...stored('instructions', opened.prompt),
    ...part('tools', ofTools, null),
    ...history.map((each): ContextPart => ({ source: 'history', text: null, ...each })),
    ...(compacted === null ? [] : stored('summary', compacted.summary)),
    ...part('kept', Buffer.byteLength(fixed.kept.join('')), null),
    ...stored('message', opened.input),
    ...stored('situation', opened.situation),
    ...stored('memory', opened.recalled),
    ...(opened.output === undefined ? [] : stored('schema', opened.output.schema)),
  ];
  return [{ type: 'context_built', parts }];
}
