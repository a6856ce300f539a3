import { MODEL_ABILITIES, type ModelAbility, type TestedAbility } from '@hamlet/contract';
import type {
  ChatAnswer,
  ChatOutcome,
  ChatRequest,
  CostEstimate,
  EmbeddingOutcome,
  Model,
  ModelError,
  ModelErrorCode,
} from '@hamlet/models';
import type { ServedModel } from '../models/village-models.ts';

const PROBE_TIMEOUT_MS = 15_000;
/** Models that think before they write need more than a word's tokens. */
const TOKENS_MAX = 256;
const NOTE_MAX_CHARS = 1_000;

const WORD = 'heron';
const NOTE_TOOL = {
  name: 'note',
  description: 'Notes a word.',
  parameters: {
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  },
};
const TOOL_PROMPT = `Call the tool note with the word "${WORD}". Write nothing else.`;
/** Only the schema contains this name, so only a server that follows the schema writes it. */
const BIRD = 'bird_in_the_reeds';
const BIRD_SCHEMA = {
  name: 'bird',
  schema: {
    type: 'object',
    properties: { [BIRD]: { type: 'string', enum: [WORD] } },
    required: [BIRD],
    additionalProperties: false,
  },
};
const JSON_PROMPT = 'Name the bird as the schema says.';

export interface Probe extends Omit<TestedAbility, 'ability'> {
  readonly cost: CostEstimate | null;
  readonly answer?: ChatAnswer;
}

const noted = (can: boolean | null, note: string, cost: CostEstimate | null = null): Probe => ({
  can,
  note: note.slice(0, NOTE_MAX_CHARS),
  cost,
});

/** The result of a failed probe: a refused request shows a lack, any other failure leaves the ability unknown. Pure. */
function failedProbe({ code, message }: ModelError, about: string, cost: CostEstimate | null): Probe {
  if (code === 'bad_request') return noted(false, `The provider refuses ${about}: ${message}`, cost);
  const why = code === 'cancelled' ? 'the provider took too long' : message;
  return noted(null, `Unknown, test again: ${why}`, cost);
}

function toolsProbe(outcome: ChatOutcome): Probe {
  if (!outcome.ok) return failedProbe(outcome.error, 'a request with a tool', outcome.partial.costEstimate);
  const { toolCalls, finish, costEstimate } = outcome.answer;
  if (toolCalls.some(({ name }) => name === NOTE_TOOL.name)) return noted(true, 'It called a tool.', costEstimate);
  if (finish === 'length') return noted(null, 'Unknown: its answer was cut off before a tool call.', costEstimate);
  return noted(true, 'It accepts tools, but answered in words instead of the requested call.', costEstimate);
}

function isBird(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && BIRD in value && value[BIRD] === WORD;
  } catch {
    return false;
  }
}

function jsonProbe(outcome: ChatOutcome): Probe {
  if (!outcome.ok) return failedProbe(outcome.error, 'a schema', outcome.partial.costEstimate);
  const { content, finish, costEstimate } = outcome.answer;
  if (isBird(content.trim())) return noted(true, 'It wrote JSON that follows the schema.', costEstimate);
  if (finish === 'length') return noted(null, 'Unknown: its answer was cut off.', costEstimate);
  return noted(false, 'It accepted a schema but did not follow it.', costEstimate);
}

/** Failures by which servers say that a model has no embeddings. */
const OF_EMBEDDINGS: ReadonlySet<ModelErrorCode> = new Set(['bad_answer', 'auth', 'forbidden', 'no_such_model']);

function embeddingsProbe(outcome: EmbeddingOutcome): Probe {
  if (!outcome.ok) {
    // Servers without embeddings fail in many ways. The key has just worked for text, so a refused key means a model without embeddings.
    const { code, status } = outcome.error;
    const isRefusal = OF_EMBEDDINGS.has(code) || status === 501;
    return failedProbe(isRefusal ? { ...outcome.error, code: 'bad_request' } : outcome.error, 'embeddings', null);
  }
  const size = outcome.vectors[0]?.length ?? 0;
  return size === 0 ? noted(false, 'It gave no vector.') : noted(true, `It made a vector of ${size} numbers.`);
}

function within(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
}

function ask(
  port: Model,
  { prompt, signal, ...more }: Partial<ChatRequest> & { readonly prompt: string; readonly signal: AbortSignal },
): Promise<ChatOutcome> {
  const messages = [{ role: 'user' as const, content: prompt }];
  return port.chat({ messages, maxTokens: TOKENS_MAX, ...more, signal: within(signal) });
}

function withAnswer(probe: (outcome: ChatOutcome) => Probe, outcome: ChatOutcome): Probe {
  return outcome.ok ? { ...probe(outcome), answer: outcome.answer } : probe(outcome);
}

type Probed = Pick<ServedModel, 'port' | 'can' | 'embedder' | 'kind'>;

async function probeTools({ port, can, kind }: Probed, signal: AbortSignal): Promise<Probe> {
  if (!can.tools) return noted(false, withoutAsking(kind, 'no tools'));
  return withAnswer(toolsProbe, await ask(port, { prompt: TOOL_PROMPT, tools: [NOTE_TOOL], signal }));
}

async function probeJson({ port, can, kind }: Probed, signal: AbortSignal): Promise<Probe> {
  if (!can.json) return noted(false, withoutAsking(kind, 'no JSON'));
  return withAnswer(jsonProbe, await ask(port, { prompt: JSON_PROMPT, responseSchema: BIRD_SCHEMA, signal }));
}

export async function probeEmbeddings(
  { embedder, kind }: Pick<Probed, 'embedder' | 'kind'>,
  signal: AbortSignal,
): Promise<Probe> {
  if (embedder === null) return noted(false, withoutAsking(kind, 'no embeddings'));
  return embeddingsProbe(await embedder.embed({ input: [WORD], signal: within(signal) }));
}

const NO_WORDS = 'Not asked: the model only makes vectors.';

export const WRITES_NO_WORDS: readonly TestedAbility[] = MODEL_ABILITIES.filter(
  (ability) => ability !== 'embeddings',
).map((ability) => ({ ability, can: null, note: NO_WORDS }));

function withoutAsking(kind: string, lacks: string): string {
  return kind === 'completions'
    ? `A base model has ${lacks}.`
    : `Not asked: by its kind (${kind}) or the configuration, it has ${lacks}.`;
}

export interface ProbedAbilities {
  readonly abilities: readonly TestedAbility[];
  readonly costs: readonly (CostEstimate | null)[];
  readonly answers: readonly ChatAnswer[];
}

export async function probeAbilities(served: Probed, stream: Probe, signal: AbortSignal): Promise<ProbedAbilities> {
  const probes: Readonly<Record<ModelAbility, Probe>> = {
    stream,
    tools: await probeTools(served, signal),
    json: await probeJson(served, signal),
    embeddings: await probeEmbeddings(served, signal),
  };
  return {
    abilities: MODEL_ABILITIES.map((ability) => {
      const { can, note } = probes[ability];
      return { ability, can, note };
    }),
    costs: Object.values(probes).map(({ cost }) => cost),
    answers: Object.values(probes).flatMap(({ answer = [] }) => answer),
  };
}
