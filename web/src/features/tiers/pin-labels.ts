import type { AgentDetail, AgentEntitlementBody, EntitlementView } from '@hamlet/contract';
import { moneyLabel, readAmount } from '../../client/labels.ts';
import { tierAt } from '../money/tier-outlook.ts';
import { podChange, podChangeLabel } from './tier-effects.ts';

/** If the balance decides, `name` stays for a return to `Pinned`. */
export type PinDraft = Readonly<{ policy: 'ByBalance' | 'Pinned'; name: string }>;
export type PinnedAgent = Pick<AgentDetail, 'display_name' | 'entitlement' | 'balance' | 'power'> & {
  readonly standing: Pick<AgentDetail['standing'], 'balance_tier'>;
};
type Tier = Pick<EntitlementView, 'name' | 'rank' | 'min_balance' | 'price' | 'compute'>;

/** The present policy. If the balance decides, `name` is the tier that the balance opened. */
export function pinOf({ entitlement }: Pick<PinnedAgent, 'entitlement'>): PinDraft {
  return { policy: entitlement.policy, name: entitlement.pinned_to ?? entitlement.tier ?? '' };
}

export function samePin(left: PinDraft, right: PinDraft): boolean {
  return left.policy === right.policy && (left.policy === 'ByBalance' || left.name === right.name);
}

export function pinBody({ policy, name }: PinDraft): AgentEntitlementBody {
  return policy === 'Pinned' ? { policy, name } : { policy };
}

export type PinEffect = Readonly<{ tier: string | null; lines: readonly string[]; bad: string | null }>;

/** The effect of a choice; null if it changes nothing or names no tier. */
export function pinEffect(agent: PinnedAgent, tiers: readonly Tier[], draft: PinDraft): PinEffect | null {
  if (samePin(draft, pinOf(agent))) return null;
  const balance = readAmount(agent.balance ?? '0') ?? 0n;
  const name = draft.policy === 'Pinned' ? draft.name : tierAt(tiers, balance, agent.standing.balance_tier);
  const to = tiers.find((tier) => tier.name === name);
  if (draft.policy === 'Pinned' && to === undefined) return null;
  const from = tiers.find((tier) => tier.name === agent.entitlement.tier);
  return {
    tier: name,
    lines: [moveLine(agent, draft, name), podLine(agent, from, to)].filter((line) => line !== ''),
    bad: draft.policy === 'Pinned' && to !== undefined ? unpaid(agent, to, balance) : null,
  };
}

function moveLine(
  { display_name: agent, entitlement, balance }: PinnedAgent,
  { policy }: PinDraft,
  name: string | null,
): string {
  const now = entitlement.tier;
  const move =
    now === name
      ? `${agent} stays in ${now ?? 'no tier'}`
      : `${agent} moves from ${now ?? 'no tier'} to ${name ?? 'no tier'}`;
  return policy === 'Pinned'
    ? `${move}, with any balance.`
    : `${move}: ${balance === null ? 'it has no balance yet' : `${moneyLabel(balance)} opens ${name ?? 'no tier'}`}. From then on its balance decides.`;
}

function podLine({ power }: PinnedAgent, from: Tier | undefined, to: Tier | undefined): string {
  return from === undefined || to === undefined || power === 'Asleep'
    ? ''
    : podChangeLabel(podChange(from.compute, to.compute), 'Its pod');
}

/** The village holds the price of an hour before it starts the pod. */
function unpaid({ balance }: PinnedAgent, { name, price }: Tier, micro: bigint): string | null {
  const hour = readAmount(price.per_hour) ?? 0n;
  return hour > micro
    ? `An hour of ${name} costs ${moneyLabel(price.per_hour)}. The agent has ${moneyLabel(balance ?? '0')}, so it has no pod there until it can pay.`
    : null;
}

export function pinButton({ display_name: agent }: PinnedAgent, { policy, name }: PinDraft): string {
  if (policy === 'ByBalance') return `Let the balance of ${agent} decide`;
  return name === '' ? `Pin ${agent}` : `Pin ${agent} to ${name}`;
}
