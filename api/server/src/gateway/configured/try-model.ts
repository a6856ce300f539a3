import { PROVIDER_FAILURES, type CallData, type FoundAbilities, type testModel } from '@hamlet/contract';
import type { ChatAnswer, ChatOutcome, CostEstimate, ModelError, ModelErrorCode } from '@hamlet/models';
import { bareCloseTag, collectAnswer } from '@hamlet/models';
import type { GatewayPorts } from '../admit-request.ts';
import type { ServedModel } from '../models/village-models.ts';
import type { Probe, ProbedAbilities } from './probe-abilities.ts';
import { probeAbilities, probeEmbeddings, WRITES_NO_WORDS } from './probe-abilities.ts';

/** The next step of the admin who tests a model, as a sentence. */
export function fixOf(code: ModelErrorCode): string {
  const { fix } = PROVIDER_FAILURES[code];
  return `${fix.charAt(0).toUpperCase()}${fix.slice(1)}.`;
}

const ANSWER_TIMEOUT_MS = 30_000;
/** Time limit of a whole test. Proxies in front of the API end a request after a minute. */
const TEST_TIMEOUT_MS = 55_000;
const TOKENS_MAX = 64;
const TEXT_MAX_CHARS = 1_000;
const MICRO_DIGITS = 6;
const PROMPT = 'Answer with one short sentence: are you there?';
/** Failures that a server without streams may cause; the test then asks for a whole answer. */
const OF_STREAMS: ReadonlySet<ModelErrorCode> = new Set(['bad_request', 'bad_answer', 'network']);
/** Failures that a model without words may cause. */
const OF_WORDS: ReadonlySet<ModelErrorCode> = new Set(['bad_request', 'bad_answer', 'no_such_model', 'overloaded']);

export type TriedModel = CallData<typeof testModel>;

type Served = Pick<ServedModel, 'port' | 'provider' | 'can' | 'embedder' | 'kind'>;
type Ended = Pick<TriedModel, 'provider' | 'scripted' | 'ms'>;

function failed(ended: Ended, error: ModelError): TriedModel {
  const isLate = error.code === 'cancelled';
  const message = isLate ? 'the model did not answer in time' : error.message;
  const code = isLate ? 'network' : error.code;
  const about = { code, message: message.slice(0, TEXT_MAX_CHARS), fix: fixOf(code) };
  return { ...ended, ...about, ok: false, text: null, tools: null, abilities: [], cost: null };
}

function costOf(estimate: CostEstimate | null): TriedModel['cost'] {
  if (estimate === null) return null;
  const digits = estimate.micros.toString().padStart(MICRO_DIGITS + 1, '0');
  const amount = `${digits.slice(0, -MICRO_DIGITS)}.${digits.slice(-MICRO_DIGITS)}`;
  return { currency: estimate.currency, amount };
}

function sumOf(costs: readonly (CostEstimate | null)[]): CostEstimate | null {
  const known = costs.filter((cost) => cost !== null);
  const [first] = known;
  return first === undefined ? null : { ...first, micros: known.reduce((sum, { micros }) => sum + micros, 0n) };
}

interface Answered {
  readonly outcome: ChatOutcome;
  readonly stream: Probe;
}

/** Asks for a stream. If the failure may come from a server without streams, asks for a whole answer. */
async function answerOf({ port, can }: Served, test: AbortSignal): Promise<Answered> {
  const signal = AbortSignal.any([test, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
  const request = { messages: [{ role: 'user' as const, content: PROMPT }], maxTokens: TOKENS_MAX, signal };
  const streamed = await collectAnswer(port.stream(request));
  if (streamed.ok)
    return can.stream
      ? { outcome: streamed, stream: { can: true, note: 'It streams its answers.', cost: null } }
      : {
          outcome: streamed,
          stream: { can: false, note: 'The configuration says that it does not stream.', cost: null },
        };
  const note = `It gives whole answers only; a stream failed: ${streamed.error.message}`.slice(0, TEXT_MAX_CHARS);
  const stream = { can: false, note, cost: streamed.partial.costEstimate };
  const whole = can.stream && OF_STREAMS.has(streamed.error.code) ? await port.chat(request) : streamed;
  return { outcome: whole.ok ? whole : streamed, stream };
}

async function vectorsOf(served: Served, error: ModelError, signal: AbortSignal): Promise<ProbedAbilities | null> {
  if (served.embedder === null || !OF_WORDS.has(error.code)) return null;
  const vectors = await probeEmbeddings(served, signal);
  const { can, note } = vectors;
  if (can !== true) return null;
  return { abilities: [...WRITES_NO_WORDS, { ability: 'embeddings', can, note }], costs: [], answers: [] };
}

/** The next step of an admin if an answer has a closing tag of thoughts without its opening one; null if none has. Pure. */
function bareTagFix(answers: readonly ChatAnswer[]): string | null {
  const tag = answers.map(({ content }) => bareCloseTag(content)).find((found) => found !== null);
  if (tag === undefined) return null;
  return `Thoughts of the model are a part of its answers: one has ${tag} without its opening tag. Start the server with a reasoning parser (--reasoning-parser of vLLM and SGLang), or set thoughts of this model to "opened"; then test again.`;
}

const saysMore = ({ content, toolCalls }: ChatAnswer): boolean => content.trim() !== '' || toolCalls.length > 0;

/** True if an answer that no limit cut off has thoughts alone, and the thoughts of all others do not end either. Pure. */
function areThoughtsAlone(answers: readonly ChatAnswer[]): boolean {
  const thinking = answers.filter(({ reasoning }) => reasoning !== '');
  return !thinking.some(saysMore) && thinking.some(({ finish }) => finish === 'stop');
}

/** The next step of an admin if thoughts and answers of the model are not read apart. Pure. */
function thoughtsFix(answers: readonly ChatAnswer[], { thoughts }: Served['can']): string | null {
  const isOpened = thoughts === 'opened';
  if (areThoughtsAlone(answers))
    return `Answers of the model have thoughts alone. ${isOpened ? 'Remove the setting thoughts of this model' : 'Start the server without its reasoning parser'}, or switch its thinking on; then test again.`;
  return isOpened ? null : bareTagFix(answers);
}

interface Found extends ProbedAbilities {
  readonly can: Served['can'];
}

function succeeded(ended: Ended, text: string | null, { abilities, costs, answers, can }: Found): TriedModel {
  const fine = { ok: true, code: null, message: null, fix: thoughtsFix(answers, can) };
  const tools = abilities.find(({ ability }) => ability === 'tools')?.can ?? null;
  return { ...ended, ...fine, text, tools, abilities: [...abilities], cost: costOf(sumOf(costs)) };
}

/** The abilities that a test found; null if it probed none. Pure. */
export function foundBy({ abilities }: TriedModel): FoundAbilities | null {
  if (abilities.length === 0) return null;
  const none: FoundAbilities = { stream: null, tools: null, json: null, embeddings: null };
  return abilities.reduce((found, { ability, can }) => ({ ...found, [ability]: can }), none);
}

/** Asks a model for a few words, then probes each ability, and reports the results. A freeze of the village ends it. */
export async function tryModel(
  { catalog, brakes, monotonicMs }: Pick<GatewayPorts, 'catalog' | 'brakes' | 'monotonicMs'>,
  served: Served,
): Promise<TriedModel | 'frozen'> {
  const brake = brakes.open('', null);
  const startedMs = monotonicMs();
  try {
    const signal = AbortSignal.any([brake.signal, AbortSignal.timeout(TEST_TIMEOUT_MS)]);
    const { outcome, stream } = await answerOf(served, signal);
    if (brake.refusal() !== null) return 'frozen';
    const { target, content, costEstimate } = outcome.ok ? outcome.answer : outcome.partial;
    const provider = target?.provider ?? served.provider;
    const scripted = catalog.isScripted(provider);
    const ended = { provider, scripted, ms: Math.round(monotonicMs() - startedMs) };
    if (!outcome.ok) {
      const vectors = await vectorsOf(served, outcome.error, signal);
      return vectors === null ? failed(ended, outcome.error) : succeeded(ended, null, { ...vectors, can: served.can });
    }
    const found = scripted ? { abilities: [], costs: [], answers: [] } : await probeAbilities(served, stream, signal);
    if (brake.refusal() !== null) return 'frozen';
    const text = content.slice(0, TEXT_MAX_CHARS);
    const answers = [outcome.answer, ...found.answers];
    return succeeded(ended, text, { ...found, answers, costs: [costEstimate, ...found.costs], can: served.can });
  } finally {
    brake.close();
  }
}
