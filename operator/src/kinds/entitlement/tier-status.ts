import {
  MAX_MESSAGE_CHARS,
  type Condition,
  type EntitlementReason,
  type EntitlementStatus,
} from '@hamlet/contract/kinds';
import type { TierSeats } from '@hamlet/core/seats';
import type { TierView } from '../agent/views.ts';

/** What an Entitlement's status is made of. */
export interface TierFacts {
  readonly tier: TierView;
  /** Undefined where the spec cannot be read. */
  readonly seats: TierSeats | undefined;
  /** Agents at this tier, awake or asleep. */
  readonly agents: number;
  readonly openNodes: number;
}

type Derived = readonly [Condition['status'], EntitlementReason, string];

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function derived({ tier: { spec }, seats, openNodes }: TierFacts): Derived {
  if (seats === undefined)
    return ['False', 'InvalidSpec', 'the spec cannot be read: apply it anew as kubectl explain entitlement.spec says'];
  const { resources, gpu } = spec.compute;
  const size = `cpu ${resources.cpu} and memory ${resources.memory} an agent`;
  if (openNodes === 0) return ['False', 'NoNode', 'no node is ready and open to agents: see kubectl get nodes'];
  if (seats.total === 0)
    return ['False', 'TooLarge', `no node has room for ${size}, with what else runs there: write less, or free a node`];
  const where = `on ${plural(openNodes, 'open node')}`;
  if (gpu.claimTemplateName !== undefined)
    return [
      'True',
      'DevicesNotCounted',
      `${size} ${where}; the devices of claim template ${gpu.claimTemplateName} are known to the scheduler alone`,
    ];
  return ['True', 'Derived', `${size} ${where}, less what other pods request and what each node keeps`];
}

/**
 * The whole status of an Entitlement.
 * @param now RFC 3339, for a condition that changes
 */
export function tierStatus(facts: TierFacts, now: string): EntitlementStatus {
  const { tier, seats, agents } = facts;
  const [status, reason, message] = derived(facts);
  const before = tier.status?.conditions?.find(({ type }) => type === 'Derived');
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
  return {
    conditions: [{ type: 'Derived', status, reason, message: message.slice(0, MAX_MESSAGE_CHARS), lastTransitionTime }],
    ...(tier.metadata.generation === undefined ? {} : { observedGeneration: tier.metadata.generation }),
    ...(seats === undefined ? {} : { seats }),
    agents,
  };
}
