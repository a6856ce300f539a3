import { type AgentDetail, EntitlementSpec, type EntitlementView, tierLimitsBy } from '@hamlet/contract';
import { tierChanges } from '@hamlet/core';
import { changeLine } from '../market/item-labels.ts';
import { moneyLabel, readAmount } from '../../client/labels.ts';
import { type LadderStep, tierAt } from '../money/tier-outlook.ts';
import { bodyOf } from './tier-draft.ts';

type TierLine = Readonly<{ what: string; from: string; to: string }>;
type TierMove = Readonly<{ agent: string; name: string; from: string | null; to: string | null }>;
/** `at` is the number of awake agents in the tier. */
export interface TierEffects {
  readonly lines: readonly TierLine[];
  readonly moves: readonly TierMove[];
  readonly pods: string;
  readonly at: number;
}

type Agent = Pick<AgentDetail, 'agent_id' | 'display_name' | 'balance' | 'tier' | 'power' | 'entitlement'> & {
  readonly standing: Pick<AgentDetail['standing'], 'balance_tier'>;
};

export function tierLines(before: EntitlementView | null, spec: EntitlementSpec): TierLine[] {
  const was = before === null ? null : specOf(before);
  const changed = tierChanges(was, spec).map((change) =>
    changeLine(
      change.what.startsWith('price') ? { ...change, from: priceText(change.from), to: priceText(change.to) } : change,
    ),
  );
  const opens = opensLabel(was?.minBalance),
    will = opensLabel(spec.minBalance);
  return [
    ...(was !== null && amount(was.minBalance) === amount(spec.minBalance)
      ? []
      : [{ what: 'Opens', from: opens, to: will }]),
    ...(was?.rank === spec.rank
      ? []
      : [{ what: 'Rank', from: was === null ? 'none' : String(was.rank), to: String(spec.rank) }]),
    ...changed
      .map(({ what, from, to }) => ({ what, from: from === '-' ? 'none' : from, to: to === '-' ? 'none' : to }))
      .filter(({ from, to }) => from !== to),
  ];
}

const priceText = (price: string): string => (readAmount(price) === null ? price : moneyLabel(price));

function opensLabel(least: string | undefined): string {
  if (least === undefined) return 'none';
  return amount(least) <= 0n ? 'to all agents' : `from ${moneyLabel(least)}`;
}

const amount = (text: string): bigint => readAmount(text) ?? 0n;

/** The spec of a tier from the API. Throws if the custom resource could not hold it. */
function specOf({ rank, min_balance: minBalance, limits, compute, price }: EntitlementView): EntitlementSpec {
  const { gpu } = compute;
  return EntitlementSpec.parse({
    rank,
    minBalance,
    limits: {
      ...tierLimitsBy('field', ({ name, usual }) => limits[name] ?? usual ?? 0),
      models: limits.models,
    },
    compute: {
      resources: { cpu: compute.cpu, memory: compute.memory },
      priorityClassName: compute.priority_class_name ?? undefined,
      gpu: {
        mode: gpu.mode,
        count: gpu.count,
        resourceName: gpu.resource_name ?? undefined,
        claimTemplateName: gpu.claim_template_name ?? undefined,
      },
    },
    price: { perHour: price.per_hour, perThousandTokens: price.per_thousand_tokens },
  });
}

function ladderWith(tiers: readonly LadderStep[], name: string, spec: EntitlementSpec): LadderStep[] {
  return [...tiers.filter((tier) => tier.name !== name), { name, rank: spec.rank, min_balance: spec.minBalance }];
}

export function tierEffects(
  before: EntitlementView | null,
  to: { readonly name: string; readonly spec: EntitlementSpec },
  village: { readonly tiers: readonly LadderStep[]; readonly agents: readonly Agent[] },
): TierEffects {
  const { name, spec } = to;
  const then = ladderWith(village.tiers, name, spec);
  const moves = village.agents.flatMap((agent): TierMove[] => {
    if (agent.entitlement.policy === 'Pinned') return [];
    const opened = (ladder: readonly LadderStep[]): string | null =>
      tierAt(ladder, amount(agent.balance ?? '0'), agent.standing.balance_tier);
    const [from, moved] = [opened(village.tiers), opened(then)];
    return from === moved ? [] : [{ agent: agent.agent_id, name: agent.display_name, from, to: moved }];
  });
  const at = village.agents.filter(({ tier, power }) => tier === name && power === 'Awake').length;
  return {
    lines: tierLines(before, spec),
    moves,
    at,
    pods:
      before === null || at === 0 ? '' : podChangeLabel(podChange(before.compute, bodyOf(spec).compute), 'Their pods'),
  };
}

type Compute = EntitlementView['compute'];

/** The effect of new compute on a running pod: none, a resize in place, or a new pod with the same volume. */
type PodChange = 'none' | 'resized' | 'replaced';

/** The operator's rule: it resizes cpu and memory in place; another GPU or priority class needs a new pod. */
export function podChange(from: Compute, to: Compute): PodChange {
  if (JSON.stringify(gpuOf(from)) !== JSON.stringify(gpuOf(to)) || from.priority_class_name !== to.priority_class_name)
    return 'replaced';
  return from.cpu === to.cpu && from.memory === to.memory ? 'none' : 'resized';
}

/** The fields of a GPU that matter to a pod; without a GPU, only the mode. */
function gpuOf({ gpu }: Compute): readonly unknown[] {
  return gpu.mode === 'None' ? [gpu.mode] : [gpu.mode, gpu.resource_name, gpu.count, gpu.claim_template_name];
}

export function podChangeLabel(change: PodChange, pods: 'Its pod' | 'Their pods'): string {
  const [is, volume] = pods === 'Its pod' ? ['is', 'its volume'] : ['are', 'their volumes'];
  if (change === 'none') return '';
  return change === 'resized'
    ? `${pods} ${is} resized in place, without a restart.`
    : `${pods} ${is} replaced; ${volume} stay${pods === 'Its pod' ? 's' : ''}.`;
}
