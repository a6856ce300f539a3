import { RESIDENT_SHARE_TEXT } from '../../objects/hands.ts';
import type { ConditionStatus, EntitlementReason, EntitlementStatus } from '@hamlet/contract/kinds';
import type { CheckedRules } from '../../objects/rule-checker.ts';
import type { TierSeats } from '@hamlet/core/seats';
import type { TierView } from '../../objects/cached-objects.ts';
import { conditionsOf } from '../../status/condition.ts';
import { rulesResults } from '../../status/rules-condition.ts';

export interface TierFacts {
  readonly tier: TierView;
  /** Undefined if the operator cannot parse the spec. */
  readonly seats: TierSeats | undefined;
  readonly agents: number;
  readonly openNodes: number;
  /** The result of the check of its rules; null until the operator can check their examples, undefined if there is nothing to say. */
  readonly checkedRules?: CheckedRules | null | undefined;
}

type Derived = readonly [ConditionStatus, EntitlementReason, string];

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function derived({ tier: { spec }, seats, openNodes }: TierFacts): Derived {
  if (seats === undefined)
    return [
      'False',
      'InvalidSpec',
      'the operator cannot parse the spec: correct it as kubectl explain entitlement.spec says, and apply it again',
    ];
  const { resources, gpu } = spec.compute;
  const { cpu, memory } = RESIDENT_SHARE_TEXT;
  const size = `cpu ${resources.cpu} and memory ${resources.memory} an agent, and cpu ${cpu} and memory ${memory} for its resident,`;
  if (openNodes === 0) return ['False', 'NoNode', 'no node is ready and open to agents: see kubectl get nodes'];
  if (seats.total === 0)
    return [
      'False',
      'TooLarge',
      `no node has room for ${size} beside its other pods: write smaller resources, or free a node`,
    ];
  const where = `on ${plural(openNodes, 'open node')}`;
  if (gpu.claimTemplateName !== undefined)
    return [
      'True',
      'DevicesNotCounted',
      `${size} ${where}; only the scheduler knows the devices of claim template ${gpu.claimTemplateName}`,
    ];
  return ['True', 'Derived', `${size} ${where}, after the requests of other pods and the reserve of each node`];
}

/** The whole status of an Entitlement; `now`, in RFC 3339, dates a changed condition. */
export function tierStatus(facts: TierFacts, now: string): EntitlementStatus {
  const { tier, seats, agents } = facts;
  const [status, reason, message] = derived(facts);
  return {
    conditions: conditionsOf(
      [['Derived', { status, reason, message }], ...rulesResults(facts.checkedRules)],
      tier.status?.conditions,
      now,
    ),
    ...(tier.metadata.generation === undefined ? {} : { observedGeneration: tier.metadata.generation }),
    ...(seats === undefined ? {} : { seats }),
    agents,
  };
}
