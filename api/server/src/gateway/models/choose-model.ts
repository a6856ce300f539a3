import type { AgentConfig, AgentSpec } from '@hamlet/contract';
import type { ModelCatalog, ServedModel } from './village-models.ts';

type ModelChoice = AgentSpec['model'];

export interface ModelAsk {
  readonly agentId: string;
  readonly asked: ModelChoice;
  readonly tier: string | null;
  readonly models: readonly string[];
}

function matches({ name, provider, providerModel }: ServedModel, asked: NonNullable<ModelChoice>): boolean {
  const isNamed = asked.name === name || asked.name === providerModel;
  return isNamed && (asked.provider === undefined || asked.provider === provider);
}

/** The model with the largest context; a tie goes to the later one, because tiers list their better models later. */
function bestOf(served: readonly ServedModel[]): ServedModel | undefined {
  return served.reduce<ServedModel | undefined>(
    (best, each) => (best !== undefined && best.contextTokens > each.contextTokens ? best : each),
    undefined,
  );
}

function textOf({ provider, name }: NonNullable<ModelChoice>): string {
  return provider === undefined ? name : `${name} of ${provider}`;
}

/**
 * The model of an agent: the one that its spec names, else its first model that is served and can work with
 * tools, a bought one before those of its tier; without any of these, the first. If the tier does not allow the named one, the best that it allows, and `reason` says so. Null if no model of
 * the tier is served. Pure except for the credentials that the catalog reads.
 */
export function chooseModel({ agentId, asked, tier, models }: ModelAsk, catalog: ModelCatalog): AgentConfig['model'] {
  const served = models.flatMap((name) => {
    const found = catalog.find(name, agentId);
    return found === null || 'missing' in found ? [] : [found];
  });
  const answer = ({ provider, name, can, contextTokens }: ServedModel, reason: string): AgentConfig['model'] => ({
    provider,
    name,
    scripted: catalog.isScripted(provider),
    context_tokens: contextTokens,
    tools: can.tools,
    json: can.json,
    reason,
  });
  const first = served.find(({ provider, can }) => can.tools || catalog.isScripted(provider)) ?? served[0];
  const best = bestOf(served);
  if (first === undefined || best === undefined) return null;
  if (asked === undefined) return answer(first, 'the first of its models that the village serves');
  const chosen = served.find((each) => matches(each, asked));
  if (chosen !== undefined) return answer(chosen, 'named by spec.model');
  return answer(
    best,
    `the tier ${tier ?? ''} does not allow spec.model ${textOf(asked)}: this is the best model that it allows`,
  );
}
