import type { AgentDetail, AgentEntitlementBody, EntitlementView } from '@hamlet/contract';
import { moneyWords, readAmount } from '../money/money-labels.ts';
import { tierOutlook } from '../money/tier-outlook.ts';
import { podChange, podChangeWords } from './tier-effects.ts';

/** How the tier of an agent is chosen, as it is being written. `name` is kept while the balance decides, so that one can go back to it. */
export interface PinDraft {
  readonly policy: 'ByBalance' | 'Pinned';
  readonly name: string;
}
export type PinnedAgent = Pick<AgentDetail, 'display_name' | 'entitlement' | 'balance' | 'power'> & {
  readonly standing: Pick<AgentDetail['standing'], 'balance_tier'>;
};
type Tier = Pick<EntitlementView, 'name' | 'rank' | 'min_balance' | 'price' | 'compute'>;

/** As it is now. Where the balance decides, the tier that it gave is what one would pin first. */
export function pinOf({ entitlement }: Pick<PinnedAgent, 'entitlement'>): PinDraft {
  return { policy: entitlement.policy, name: entitlement.pinned_to ?? entitlement.tier ?? '' };
}

/** Whether both mean the same to the cluster. */
export function samePin(left: PinDraft, right: PinDraft): boolean {
  return left.policy === right.policy && (left.policy === 'ByBalance' || left.name === right.name);
}

export function pinBody({ policy, name }: PinDraft): AgentEntitlementBody {
  return policy === 'Pinned' ? { policy, name } : { policy };
}

/** What a change would do, in sentences. `bad` is what somebody might not want. */
export interface PinEffect {
  readonly tier: string | null;
  readonly lines: readonly string[];
  readonly bad: string | null;
}

/** What comes of a choice; null where it is so already, or names no tier. */
export function pinEffect(agent: PinnedAgent, tiers: readonly Tier[], draft: PinDraft): PinEffect | null {
  if (samePin(draft, pinOf(agent))) return null;
  const balance = readAmount(agent.balance ?? '0') ?? 0n;
  const name = draft.policy === 'Pinned' ? draft.name : tierOutlook(tiers, balance, agent.standing.balance_tier).tier;
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
      : `${agent} goes from ${now ?? 'no tier'} to ${name ?? 'no tier'}`;
  return policy === 'Pinned'
    ? `${move}, whatever its balance.`
    : `${move}: ${balance === null ? 'it has no account yet' : `${moneyWords(balance)} open ${name ?? 'none'}`}. From then on its balance decides.`;
}

function podLine({ power }: PinnedAgent, from: Tier | undefined, to: Tier | undefined): string {
  return from === undefined || to === undefined || power === 'Asleep'
    ? ''
    : podChangeWords(podChange(from.compute, to.compute), 'Its pod');
}

/** Who is pinned to what it cannot pay has no pod: an hour is set aside before there is one. */
function unpaid({ balance }: PinnedAgent, { name, price }: Tier, micro: bigint): string | null {
  const hour = readAmount(price.per_hour) ?? 0n;
  return hour > micro
    ? `An hour of ${name} costs ${moneyWords(price.per_hour)} and it has ${moneyWords(balance ?? '0')}: it has no pod there until it can pay.`
    : null;
}

/** What the button says: the effect, and whom it meets. */
export function pinButton({ display_name: agent }: PinnedAgent, { policy, name }: PinDraft): string {
  if (policy === 'ByBalance') return `Let the balance of ${agent} decide`;
  return name === '' ? `Pin ${agent}` : `Pin ${agent} to ${name}`;
}
