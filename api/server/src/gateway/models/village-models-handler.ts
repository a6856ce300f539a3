import type { VillageModel } from '@hamlet/contract';
import type { EntitlementRecord } from '../../agents/agent-source.ts';
import { limitsOf } from '../../agents/describe-agent.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { readModelHealth, type ModelHealthRow } from '@hamlet/store';
import { causeOf } from '../refusal-of-model.ts';
import { chooseModel } from './choose-model.ts';
import type { ModelCatalog } from './village-models.ts';
import type { Village } from '../../village.ts';

function tiersByModel(entitlements: readonly EntitlementRecord[]): ReadonlyMap<string, readonly string[]> {
  const tiers = new Map<string, string[]>();
  for (const { name, spec } of entitlements.toSorted((a, b) => a.spec.rank - b.spec.rank))
    for (const model of limitsOf(spec)?.models ?? []) tiers.set(model, [...(tiers.get(model) ?? []), name]);
  return tiers;
}

type Health = Pick<VillageModel, 'last_success' | 'last_failure'>;

/** The newest success and failure of a model at the provider that serves it now. Only admins read words of the provider. */
function healthOf(row: ModelHealthRow | undefined, isAdmin: boolean): Health {
  if (row === undefined) return { last_success: null, last_failure: null };
  const at = row.succeededAt?.toISOString() ?? null;
  return { last_success: at === null ? null : { at }, last_failure: failureOf(row, isAdmin) };
}

function failureOf({ failedAt, code, message, provider }: ModelHealthRow, isAdmin: boolean): Health['last_failure'] {
  if (failedAt === null || code === null) return null;
  return { at: failedAt.toISOString(), code, message: isAdmin ? message : null, fix: causeOf(code, provider) };
}

function viewOf(
  name: string,
  tiers: readonly string[],
  found: ReturnType<ModelCatalog['find']>,
): Omit<VillageModel, 'last_success' | 'last_failure'> {
  if (found === null || 'missing' in found)
    return {
      name,
      provider: null,
      kind: null,
      scripted: false,
      available: false,
      context_tokens: null,
      tiers: [...tiers],
    };
  const { provider, kind, contextTokens: context_tokens } = found;
  return { name, provider, kind, scripted: kind === 'scripted', available: true, context_tokens, tiers: [...tiers] };
}

export function villageModelsHandler({ db, source, gateway }: Village) {
  const { catalog, limits } = gateway;

  async function agentPart(agentId: string) {
    const record = source.get(agentId);
    if (record === null) return null;
    const allowance = await limits.of(agentId);
    const models = allowance?.limits.models ?? [];
    const allowed = models.filter((name) => {
      const found = catalog.find(name, agentId);
      return found !== null && !('missing' in found);
    });
    const asked = { agentId, asked: record.spec.model, tier: allowance?.tier ?? null, models };
    return { agent_id: agentId, allowed, model: chooseModel(asked, catalog) };
  }

  return {
    showModels: plain(async ({ actor, query: { agent_id: agentId } }) => {
      const agent = agentId === undefined ? null : await agentPart(agentId);
      if (agentId !== undefined && agent === null) return refused('no_such_agent');
      const tiers = tiersByModel(source.entitlements());
      const served = catalog.served(agentId ?? null).filter((name) => !name.includes('*'));
      const health = await readModelHealth(db);
      const models = [...new Set([...tiers.keys(), ...served])].map((name) => {
        const view = viewOf(name, tiers.get(name) ?? [], catalog.find(name, agentId ?? null));
        const row = health.find(({ model, provider }) => model === name && provider === view.provider);
        return { ...view, ...healthOf(row, actor.role === 'admin') };
      });
      return accepted({
        scripted_only: !models.some(({ available, scripted }) => available && !scripted),
        models,
        agent,
      });
    }),
  } satisfies Partial<Handlers>;
}
