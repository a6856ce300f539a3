import type { CallData, testModel } from '@hamlet/contract';
import { EMPTY_ANSWER, foldDelta } from '@hamlet/models';
import type { AnswerState, CostEstimate, ModelError, ToolDefinition } from '@hamlet/models';
import { fixOf } from '../connections/test-fix.ts';
import type { GatewayPorts } from '../admit-request.ts';
import type { ServedModel } from '../models/village-models.ts';

const TIMEOUT_MS = 30_000;
const TOKENS_MAX = 64;
const TEXT_MAX_CHARS = 1_000;
const MICRO_DIGITS = 6;
const TOOL: ToolDefinition = {
  name: 'note',
  description: 'Notes a word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};
const PROMPT = 'Answer with one short sentence: are you there?';

export type TriedModel = CallData<typeof testModel>;

type Ended = Pick<TriedModel, 'provider' | 'scripted' | 'ms'>;

function failed(ended: Ended, error: ModelError | null): TriedModel {
  const isLate = error === null || error.code === 'cancelled';
  const message = isLate ? 'the model did not answer in time' : error.message;
  const code = isLate ? 'network' : error.code;
  const about = { code, message: message.slice(0, TEXT_MAX_CHARS), fix: fixOf(code) };
  return { ...ended, ...about, ok: false, text: null, tools: null, cost: null };
}

/** Millionths as a decimal text, such as 0.000123. Pure. */
function costOf(estimate: CostEstimate | null): TriedModel['cost'] {
  if (estimate === null) return null;
  const digits = estimate.micros.toString().padStart(MICRO_DIGITS + 1, '0');
  const amount = `${digits.slice(0, -MICRO_DIGITS)}.${digits.slice(-MICRO_DIGITS)}`;
  return { currency: estimate.currency, amount };
}

async function answerOf(
  { port }: Pick<ServedModel, 'port'>,
  signal: AbortSignal,
  tools?: readonly ToolDefinition[],
): Promise<AnswerState> {
  let state = EMPTY_ANSWER;
  const asked = { messages: [{ role: 'user' as const, content: PROMPT }], maxTokens: TOKENS_MAX, signal };
  const request = tools === undefined ? asked : { ...asked, tools: [...tools] };
  for await (const delta of port.stream(request)) state = foldDelta(state, delta);
  return state;
}

/** True if the model took a request with a tool, false if it refused that as wrong; null for any other failure. Pure. */
function takesTools(offered: AnswerState | null): boolean | null {
  if (offered === null) return false;
  const { last } = offered;
  if (last?.kind === 'end') return true;
  return last?.error.code === 'bad_request' ? false : null;
}

/** The cost of the answers whose price is known. Pure. */
function sumOf(...answers: readonly (AnswerState | null)[]): CostEstimate | null {
  const costs = answers.flatMap((state) => state?.last?.costEstimate ?? []);
  const [first] = costs;
  return first === undefined ? null : { ...first, micros: costs.reduce((sum, { micros }) => sum + micros, 0n) };
}

/** Asks a model for a few words, then with a tool, and reports the outcome. A freeze of the village ends it. */
export async function tryModel(
  { catalog, brakes, monotonicMs }: Pick<GatewayPorts, 'catalog' | 'brakes' | 'monotonicMs'>,
  served: Pick<ServedModel, 'port' | 'provider' | 'can'>,
): Promise<TriedModel | 'frozen'> {
  const brake = brakes.open('', null);
  const startedMs = monotonicMs();
  try {
    const signal = AbortSignal.any([brake.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const answered = await answerOf(served, signal);
    const { last, content, target } = answered;
    if (brake.refusal() !== null) return 'frozen';
    const provider = target?.provider ?? served.provider;
    const ended = { provider, scripted: catalog.isScripted(provider), ms: Math.round(monotonicMs() - startedMs) };
    if (last?.kind !== 'end') return failed(ended, last?.error ?? null);
    const text = content.slice(0, TEXT_MAX_CHARS);
    const offered = served.can.tools ? await answerOf(served, signal, [TOOL]) : null;
    if (brake.refusal() !== null) return 'frozen';
    const fine = { ok: true, code: null, message: null, fix: null };
    return { ...ended, ...fine, text, tools: takesTools(offered), cost: costOf(sumOf(answered, offered)) };
  } finally {
    brake.close();
  }
}
