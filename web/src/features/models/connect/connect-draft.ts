import type {
  CallData,
  CallInput,
  ConnectableKind,
  listOfferedModels,
  ModelCredential,
  ModelOffer,
  OfferedModels,
} from '@hamlet/contract';
import { MODEL_ABILITIES, putModelCredential, testModel } from '@hamlet/contract';
import { PROVIDER_KINDS, type TestAnswer } from '../model-labels.ts';
import { capital } from '../../../client/labels.ts';
import type { Reading } from '../../../client/drafts.ts';

/** A row of the form: the tiers' name of a model and the provider's name of it. A row without the latter is ignored. */
export type ModelRow = Readonly<{ name: string; model: string }> & Abilities;
/** Parts of a model that the form keeps. It shows only `thoughts`. */
type Abilities = Pick<ModelOffer, KeptWord | 'answer_tokens'>;
type KeptWord = (typeof KEPT_WORDS)[number];
const KEPT_WORDS = [...MODEL_ABILITIES, 'images', 'thoughts'] as const;

/** A provider as an admin writes it. It has no key, because drafts may be stored and keys must not. */
export interface ConnectDraft {
  readonly kind: ConnectableKind;
  readonly name: string;
  readonly address: string;
  readonly models: readonly ModelRow[];
  readonly context: string;
  readonly inFlight: string;
  readonly agent: string;
}

export type ConnectProblems = Partial<Record<'name' | 'address' | 'key' | 'models' | 'context' | 'inFlight', string>>;
export type ConnectBody = NonNullable<CallInput<typeof putModelCredential>['body']>;
type Connection = NonNullable<NonNullable<CallInput<typeof testModel>['body']>['connection']>;
type ReadConnect = Reading<{ body: ConnectBody }, ConnectProblems>;

/** A row for each name, once; `small` if there is none. */
export function emptyRows(names: readonly string[]): readonly ModelRow[] {
  return [...new Set(names.length === 0 ? ['small'] : names)].map((name) => ({ name, model: '' }));
}

export function emptyConnect(names: readonly string[]): ConnectDraft {
  return { kind: 'openai', name: '', address: '', models: emptyRows(names), context: '', inFlight: '', agent: '' };
}

/** The form of a connected provider; null if a form cannot change it. */
export function connectDraftOf({ name, agent_id: agent, provider }: ModelCredential): ConnectDraft | null {
  if (provider === null || provider.kind === 'openai-subscription') return null;
  const context = provider.models[0]?.context_tokens;
  const hosted = PROVIDER_KINDS[provider.kind].address === null;
  return {
    kind: provider.kind,
    name,
    address: hosted ? '' : provider.base_url,
    models: provider.models.map((offer) => ({
      name: offer.name,
      model: offer.model,
      ...wordsOf(offer),
      ...(offer.answer_tokens === undefined ? {} : { answer_tokens: offer.answer_tokens }),
    })),
    context: context === undefined ? '' : String(context),
    inFlight: provider.max_in_flight === null ? '' : String(provider.max_in_flight),
    agent: agent ?? '',
  };
}

function wordsOf(offer: Pick<ModelOffer, KeptWord>): Pick<ModelOffer, KeptWord> {
  const known = KEPT_WORDS.filter((word) => offer[word] !== undefined);
  return Object.fromEntries(known.map((word) => [word, offer[word]]));
}

/** True if the prompt of the provider's model opens its thoughts: as for the API, a word in one of its rows is enough. */
export const opensThoughts = (rows: readonly ModelRow[], model: string): boolean =>
  rows.some((row) => row.model.trim() === model && row.thoughts !== undefined);

/** The rows with the provider's model as one whose prompt opens its thoughts, or as another. */
export function withThoughts(rows: readonly ModelRow[], model: string, areOpened: boolean): readonly ModelRow[] {
  return rows.map((row) => (row.model.trim() === model ? { ...row, thoughts: areOpened ? 'opened' : undefined } : row));
}

/** Writes a model into a row. The settings of the former model leave the row; those of the new one come from another row with it. */
export function withModel(rows: readonly ModelRow[], at: number, model: string): readonly ModelRow[] {
  const same = rows.find((row, index) => index !== at && row.model.trim() === model.trim());
  return rows.map((row, index) => (index === at ? { ...same, name: row.name, model } : row));
}

/** The provider's models in the rows, each once. */
export const modelsOf = (rows: readonly ModelRow[]): readonly string[] => [
  ...new Set(filledRows({ models: rows }).map(({ model }) => model)),
];

export function nameOf({ name, kind }: Pick<ConnectDraft, 'name' | 'kind'>): string {
  return name.trim() === '' ? kind : name.trim();
}

/** Validates the form with the contract's schema, so that its messages equal those of the API. */
export function readConnect(draft: ConnectDraft, key: string): ReadConnect {
  const inFlight = draft.inFlight.trim();
  const parsed = putModelCredential.body.safeParse({
    name: nameOf(draft),
    kind: draft.kind,
    ...addressIn(draft),
    ...(key.trim() === '' ? {} : { key: key.trim() }),
    models: offersOf(draft),
    ...(inFlight === '' ? {} : { max_in_flight: Number(inFlight) }),
    ...(draft.agent === '' ? {} : { agent_id: draft.agent }),
  });
  if (parsed.success) return { ok: true, body: parsed.data };
  return { ok: false, problems: problemsOf(parsed.error.issues) };
}

/** The connection for a test before it is stored, with the first model; null if the form lacks a part. */
export function connectionOf(draft: ConnectDraft, key: string): Connection | null {
  const read = readConnect(draft, key);
  const [first] = filledRows(draft);
  if (!read.ok || first === undefined) return null;
  return {
    kind: draft.kind,
    ...addressIn(draft),
    ...(key.trim() === '' ? {} : { key: key.trim() }),
    model: first.model,
    ...(opensThoughts(draft.models, first.model) ? { thoughts: 'opened' } : {}),
  };
}

type Listing = NonNullable<CallInput<typeof listOfferedModels>['body']>;

/** The connection by which the API asks the server for its models; null if address or key is missing. */
export function listingOf(draft: ConnectDraft, key: string): Listing | null {
  const { address, key: needed } = PROVIDER_KINDS[draft.kind];
  const given = key.trim();
  if ((address !== null && draft.address.trim() === '') || (needed === 'needed' && given === '')) return null;
  return { kind: draft.kind, ...addressIn(draft), ...(given === '' ? {} : { key: given }) };
}

export function offeredLabel({ models, problem }: OfferedModels): string {
  if (problem !== null) return problem;
  if (models.length === 0) return 'The server has no models.';
  return models.length === 1
    ? `It has one model: ${models[0]}.`
    : `It has ${models.length} models: choose among them above.`;
}

/** If the server offers one model, fills it into the rows; rows in which a person has written a model stay as they are. */
export function withOnlyModel(rows: readonly ModelRow[], offered: readonly string[]): readonly ModelRow[] {
  const [model, ...others] = offered;
  if (model === undefined || others.length > 0 || rows.some((row) => row.model !== '')) return rows;
  return rows.map((row) => ({ ...row, model }));
}

const LOOPBACK = /^(?:localhost|127\..+|\[::1\])$/;

/** The advice beside a failed test of an address that leads to the API's own pod; null for other addresses and failures. */
export function loopbackAdvice(
  { address }: Pick<ConnectDraft, 'address'>,
  answer: Pick<TestAnswer, 'code'> | null,
): string | null {
  if (answer?.code !== 'unreachable' || !LOOPBACK.test(URL.parse(address.trim())?.hostname ?? '')) return null;
  return 'In a cluster, this address leads to the pod of the API. Write the address of the machine with the server, and let the server listen there; Ollama does so with OLLAMA_HOST=0.0.0.0.';
}

type Tested = Pick<CallData<typeof testModel>, 'abilities'>;

/** Stores a missing ability, and clears a found one, so that later tests decide. */
export function withTested(body: ConnectBody, tested: Tested | null): ConnectBody {
  const known = (tested?.abilities ?? []).filter(({ can }) => can !== null);
  if (known.length === 0) return body;
  const found = Object.fromEntries(known.map(({ ability, can }) => [ability, can === false ? false : undefined]));
  return {
    ...body,
    models: (body.models ?? []).map((offer, index) => (index === 0 ? { ...offer, ...found } : offer)),
  };
}

function addressIn({ address }: ConnectDraft): { base_url?: string } {
  return address.trim() === '' ? {} : { base_url: address.trim() };
}

/** The models of a form as the API takes them; an invalid number of tokens becomes NaN, which the contract refuses. */
export function offersOf(draft: Pick<ConnectDraft, 'models' | 'context'>): readonly object[] {
  const context = draft.context.trim();
  const tokens = context === '' ? {} : { context_tokens: Number(context.replaceAll(/[ ,]/g, '')) };
  return filledRows(draft).map((row) => ({ ...row, ...tokens }));
}

function filledRows({ models }: Pick<ConnectDraft, 'models'>): readonly ModelRow[] {
  return models
    .map(({ name, model, ...abilities }) => ({ ...abilities, name: name.trim(), model: model.trim() }))
    .filter(({ model }) => model !== '');
}

const FIELDS: Readonly<Record<string, keyof ConnectProblems>> = {
  name: 'name',
  base_url: 'address',
  key: 'key',
  max_in_flight: 'inFlight',
};

export type Issue = Readonly<{ path: readonly PropertyKey[]; message: string; code?: string | undefined }>;

export function problemsOf(issues: readonly Issue[]): ConnectProblems {
  const problems: ConnectProblems = {};
  for (const issue of issues) {
    const [part, , inner] = issue.path;
    if (part !== 'models') problems[FIELDS[String(part)] ?? 'name'] ??= capital(issue.message);
    else if (inner === 'context_tokens') problems.context ??= 'Write a number of tokens, such as 32768';
    else problems.models ??= modelProblem(issue);
  }
  return problems;
}

function modelProblem({ path, message, code }: Issue): string {
  return code === 'too_small' && path.length === 1 ? 'Write at least one model' : capital(message);
}
