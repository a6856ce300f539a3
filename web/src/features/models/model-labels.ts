import {
  type AgentConfig,
  type CallData,
  CONNECTABLE_KINDS,
  type ConnectableKind,
  type ModelAbility,
  type ModelCredential,
  modelFailure,
  type testModel,
  type VillageModel,
} from '@hamlet/contract';
import { capital } from '../../client/labels.ts';
import type { Tone } from '../../ui/controls.tsx';
import { lengthLabel, timeAgo } from '../../ui/time-labels.ts';

export type TestAnswer = CallData<typeof testModel>;

/** Codes of a program that is the mind of an agent: it may fail before it asks a model. */
const OF_PROGRAM = /^(?:acp|command|program)_/;

/** The cause of a failed answer, as a sentence without its end: `The provider is overloaded or fails`. */
export function failureCause(code: string | null): string {
  const known = modelFailure(code ?? '');
  if (known !== null) return capital(known.cause);
  // The engine withdrew its last request, and asks again with the new limits.
  if (code === 'limits_raised') return 'A person raised the limits';
  if (code === null) return 'The model failed';
  return `${OF_PROGRAM.test(code) ? 'The program' : 'The model'} failed (${code})`;
}

export function testLabel({ ok, ms, scripted, code }: Pick<TestAnswer, 'ok' | 'ms' | 'scripted' | 'code'>): string {
  if (!ok) return `${modelFailure(code ?? '') === null ? 'The test failed' : failureCause(code)}.`;
  return scripted ? 'The scripted mind answered; no language model was asked.' : `It answered in ${lengthLabel(ms)}.`;
}

/** The cost of a test at its provider; empty if the price table lacks the model. */
export function costLabel({ cost }: Pick<TestAnswer, 'cost'>): string {
  return cost === null ? '' : `It cost ${cost.amount} ${cost.currency} at the provider.`;
}

const ABILITIES: Readonly<Record<ModelAbility, Readonly<{ yes: string; no: string; means: string }>>> = {
  stream: { yes: 'Streams', no: 'Does not stream', means: 'Its words appear all at once.' },
  tools: { yes: 'Tools', no: 'No tools', means: 'Agents that use it can only write, and say so.' },
  json: { yes: 'JSON', no: 'No JSON by a schema', means: 'The scripted mind decides for agents that use it.' },
  embeddings: { yes: 'Embeddings', no: 'No embeddings', means: '' },
};

export function abilityLabel(
  ability: ModelAbility,
  can: boolean | null,
): Readonly<{ word: string; tone: Tone; means: string }> {
  const { yes, no, means } = ABILITIES[ability];
  if (can === null) return { word: `${yes}?`, tone: 'waiting', means: '' };
  if (can) return { word: yes, tone: 'good', means: '' };
  // Most models that write have no embeddings, which is not a fault.
  return { word: no, tone: ability === 'embeddings' ? 'sleep' : 'waiting', means };
}

type ModelHealth = Pick<VillageModel, 'last_success' | 'last_failure'>;

/** The state of a provider by its newest answer: to a test, or to a request of an agent for one of the `served` models. */
export function providerState(
  { last_test: test }: Pick<ModelCredential, 'last_test'>,
  nowMs: number,
  served: readonly ModelHealth[] = [],
): Readonly<{ word: string; tone: Tone; hint: string }> {
  const newest = newestRequest(served);
  const isNewer = newest !== null && (test === null || Date.parse(newest.at) > Date.parse(test.at));
  if (isNewer && newest.ok !== test?.ok)
    return newest.ok
      ? { word: 'Answers', tone: 'good', hint: `It answered a request ${timeAgo(newest.at, nowMs)}` }
      : { word: 'Fails', tone: 'bad', hint: `A request failed ${timeAgo(newest.at, nowMs)}` };
  if (test === null) return { word: 'Not tested', tone: 'waiting', hint: 'Test it to see that it answers' };
  const when = timeAgo(test.at, nowMs);
  return test.ok
    ? { word: 'Works', tone: 'good', hint: `It answered ${when} in ${lengthLabel(test.ms)}` }
    : { word: 'Fails', tone: 'bad', hint: `${testLabel({ ...test, scripted: false })} ${when}` };
}

function newestRequest(served: readonly ModelHealth[]): { readonly at: string; readonly ok: boolean } | null {
  const ends = served.flatMap(({ last_success: answered, last_failure: failed }) => [
    ...(answered === null ? [] : [{ at: answered.at, ok: true }]),
    ...(failed === null ? [] : [{ at: failed.at, ok: false }]),
  ]);
  return ends.toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at))[0] ?? null;
}

type KnownModel = Pick<VillageModel, 'provider' | 'scripted' | 'available'> & ModelHealth;

/** The state of a model: it answers only if its provider answered its newest request. */
export function modelState(model: KnownModel): Readonly<{ word: string; tone: Tone }> {
  const { provider, scripted, available, last_success: answered } = model;
  if (provider === null) return { word: 'No provider', tone: 'bad' };
  if (!available) return { word: 'Its key is missing', tone: 'bad' };
  if (scripted) return { word: 'Scripted', tone: 'waiting' };
  if (isFailing(model)) return { word: 'Fails', tone: 'bad' };
  return answered === null ? { word: 'Not used yet', tone: 'sleep' } : { word: 'Answers', tone: 'good' };
}

function isFailing({ last_success: answered, last_failure: failed }: ModelHealth): boolean {
  return failed !== null && (answered === null || Date.parse(failed.at) > Date.parse(answered.at));
}

/** The newest answer and failure with their times: `Answered 5 min ago`, `Failed 2 h ago: the cause. The fix.` */
export function healthLines(model: ModelHealth, nowMs: number): readonly Readonly<{ text: string; bad: boolean }>[] {
  const { last_success: answered, last_failure: failed } = model;
  const lines = [
    answered === null ? null : { at: answered.at, text: `Answered ${timeAgo(answered.at, nowMs)}`, bad: false },
    failed === null
      ? null
      : { at: failed.at, text: `Failed ${timeAgo(failed.at, nowMs)}: ${wordsOf(failed)}`, bad: isFailing(model) },
  ].filter((line) => line !== null);
  return lines.toSorted((left, right) => right.at.localeCompare(left.at)).map(({ text, bad }) => ({ text, bad }));
}

function wordsOf({ message, fix }: NonNullable<ModelHealth['last_failure']>): string {
  return message === null || message === '' ? fix : `${fix} (${message})`;
}

export function chosenLabels(model: AgentConfig['model']): readonly string[] {
  if (model === null) return ['No provider serves a model of its tier, so that it cannot think.'];
  const { name, provider, scripted, reason, tools, json } = model;
  const asked = `It uses the model ${name} of the provider ${provider}: ${reason}.`;
  if (scripted) return [asked, 'No language model writes its words; they come from a list.'];
  const lacks = [tools === false ? ABILITIES.tools : null, json === false ? ABILITIES.json : null];
  return [asked, ...lacks.flatMap((lack) => (lack === null ? [] : [`${lack.no}. ${lack.means}`]))];
}

export function usersLabel(total: number): string {
  return total === 0 ? 'no agent now' : total === 1 ? '1 agent' : `${total} agents`;
}

/** A kind of provider as the form offers it. `address` is null if the kind has an address of its own. */
interface ProviderKind {
  readonly word: string;
  readonly hint: string;
  readonly address: string | null;
  readonly key: 'needed' | 'optional';
  readonly model: string;
}

export const PROVIDER_KINDS: Readonly<Record<ConnectableKind, ProviderKind>> = {
  openai: { word: 'OpenAI', hint: 'GPT models', address: null, key: 'needed', model: 'gpt-5-mini' },
  openrouter: {
    word: 'OpenRouter',
    hint: 'Models of many makers with one key',
    address: null,
    key: 'needed',
    model: 'qwen/qwen3-32b',
  },
  anthropic: {
    word: 'Anthropic',
    hint: 'Claude models',
    address: null,
    key: 'needed',
    model: 'claude-haiku-4-5',
  },
  ollama: {
    word: 'Ollama',
    hint: 'Models on your own machine',
    address: 'http://ollama:11434',
    key: 'optional',
    model: 'qwen3:8b',
  },
  vllm: {
    word: 'vLLM',
    hint: 'Models on your own GPUs',
    address: 'http://vllm:8000/v1',
    key: 'optional',
    model: 'Qwen/Qwen3-8B',
  },
  compatible: {
    word: 'Other server',
    hint: 'Any server that speaks the format of OpenAI',
    address: 'http://server:8080/v1',
    key: 'optional',
    model: 'my-model',
  },
  completions: {
    word: 'Base model',
    hint: 'A model that only continues a text, without tools',
    address: 'http://server:8080/v1',
    key: 'optional',
    model: 'my-base-model',
  },
};

export function kindLabel(kind: string): string {
  const known = CONNECTABLE_KINDS.find((each) => each === kind);
  if (known !== undefined) return PROVIDER_KINDS[known].word;
  return kind === 'scripted' ? 'Scripted mind' : kind === 'openai-subscription' ? 'Subscription' : kind;
}
