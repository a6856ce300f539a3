import { USERS_SHOWN_MAX, type ProviderUsers } from '@hamlet/contract';
import { boughtLimits } from '../../agents/bought-limits.ts';
import { limitsOf } from '../../agents/describe-agent.ts';
import { chooseModel } from './choose-model.ts';
import type { ServedModel } from './village-models.ts';
import type { Village } from '../../village.ts';

type Used = Pick<ServedModel, 'provider' | 'connection'>;

export async function readProviderUsers({
  db,
  source,
  gateway: { catalog, monotonicMs },
}: Pick<Village, 'db' | 'source' | 'gateway'>) {
  const agents = source.list().filter(({ deleting }) => !deleting);
  const ids = agents.map(({ agentId }) => agentId);
  const bought = await boughtLimits(db, ids, monotonicMs);
  const used = agents.flatMap(({ agentId, spec, status }): readonly { agentId: string; served: Used }[] => {
    const tier = status.tier ?? null;
    const models = limitsOf(tier === null ? null : source.entitlement(tier), bought(agentId))?.models ?? [];
    const chosen = chooseModel({ agentId, asked: spec.model, tier, models }, catalog);
    const served = chosen === null ? null : catalog.find(chosen.name, agentId);
    return served === null || 'missing' in served ? [] : [{ agentId, served }];
  });
  return (isIt: (served: Used) => boolean): ProviderUsers => {
    const names = used.filter(({ served }) => isIt(served)).map(({ agentId }) => agentId);
    return { agents: names.toSorted().slice(0, USERS_SHOWN_MAX), total: names.length };
  };
}
