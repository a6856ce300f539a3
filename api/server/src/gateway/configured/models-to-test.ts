import type { ProviderTestRow } from '@hamlet/store';
import { triedAddress } from '../credentials/tried-address.ts';
import type { ModelCatalog, ServedModel, VillageModels } from '../models/village-models.ts';

/** Maximum number of models that are tested: the first ones. */
const TESTED_MAX = 50;
/** The pause after the first attempt without an answer, in milliseconds; it doubles with each further one. */
const PAUSE_MS = 20_000;
const PAUSE_MAX_MS = 300_000;

/** A model of a provider in the configuration. */
export interface ModelToTest {
  readonly served: ServedModel;
  /** Hash of the provider's address and key, the provider's name of the model, and its setting for thoughts. */
  readonly address: Uint8Array;
}

/** Failures of a server that is off, busy or still loading: they say nothing about the model. */
const UNANSWERED: readonly string[] = ['unreachable', 'network', 'overloaded', 'rate'];

export const isAnswer = (code: string | null): boolean => code === null || !UNANSWERED.includes(code);

/** The models that the configured routes name without `*`, once for each provider and its name of the model. */
export function modelsToTest(
  { config: { providers }, key }: Pick<VillageModels, 'config' | 'key'>,
  catalog: ModelCatalog,
): readonly ModelToTest[] {
  const found = new Map<string, ModelToTest>();
  for (const name of catalog.served(null).filter((each) => !each.includes('*'))) {
    const served = catalog.find(name, null);
    if (served === null || 'missing' in served) continue;
    const settings = providers[served.provider];
    if (settings === undefined || !('baseUrl' in settings)) continue;
    const { kind, baseUrl: base_url, credential } = settings;
    const secret = credential === undefined ? null : key(credential, null);
    const address = triedAddress({
      provider: { kind, base_url },
      key: secret ?? undefined,
      model: served.providerModel,
      thoughts: served.can.thoughts,
    });
    const id = JSON.stringify([served.provider, served.providerModel]);
    if (!found.has(id)) found.set(id, { served, address });
  }
  return [...found.values()].slice(0, TESTED_MAX);
}

/** The stored test of a model with its present address, key and setting for thoughts; undefined before it. Pure. */
export function testOf(
  { served, address }: ModelToTest,
  rows: readonly ProviderTestRow[],
): ProviderTestRow | undefined {
  return rows.find(
    ({ provider, model, address: tested }) =>
      provider === served.provider && model === served.providerModel && Buffer.compare(tested, address) === 0,
  );
}

/** Time from which a test is due, in milliseconds since 1970; infinite once the model has answered. */
function dueMs(test: ProviderTestRow | undefined): number {
  if (test === undefined) return 0;
  if (isAnswer(test.code)) return Infinity;
  return test.at.getTime() + Math.min(PAUSE_MS * 2 ** (test.unanswered - 1), PAUSE_MAX_MS);
}

/** The model whose test is overdue longest; null if none is due. Pure. */
export function nextToTest(
  models: readonly ModelToTest[],
  rows: readonly ProviderTestRow[],
  nowMs: number,
): ModelToTest | null {
  const due = models.map((model) => ({ model, at: dueMs(testOf(model, rows)) })).filter(({ at }) => at <= nowMs);
  return due.toSorted((one, other) => one.at - other.at)[0]?.model ?? null;
}
