import type { VillageModel } from '@hamlet/contract';
import type { EntitlementRecord } from '../../agents/agent-source.ts';
import { limitsOf } from '../../agents/describe-agent.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { chooseModel } from './choose-model.ts';
import type { ModelCatalog } from './village-models.ts';
import type { Village } from '../../village.ts';

function tiersByModel(entitlements: readonly EntitlementRecord[]): ReadonlyMap<string, readonly string[]> {
  const tiers = new Map<string, string[]>();
  for (const { name, spec } of entitlements.toSorted((a, b) => a.spec.rank - b.spec.rank))
    for (const model of limitsOf(spec)?.models ?? []) tiers.set(model, [...(tiers.get(model) ?? []), name]);
  return tiers;
}

function viewOf(name: string, tiers: readonly string[], found: ReturnType<ModelCatalog['find']>): VillageModel {
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

export function villageModelsHandler({ source, gateway }: Village) {
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
    showModels: plain(async ({ query: { agent_id: agentId } }) => {
      const agent = agentId === undefined ? null : await agentPart(agentId);
      if (agentId !== undefined && agent === null) return refused('no_such_agent', `There is no agent ${agentId}`);
      const tiers = tiersByModel(source.entitlements());
      const served = catalog.served(agentId ?? null).filter((name) => !name.includes('*'));
      const models = [...new Set([...tiers.keys(), ...served])].map((name) =>
        viewOf(name, tiers.get(name) ?? [], catalog.find(name, agentId ?? null)),
      );
      return accepted({
        scripted_only: !models.some(({ available, scripted }) => available && !scripted),
        models,
        agent,
      });
    }),
  } satisfies Partial<Handlers>;
}
