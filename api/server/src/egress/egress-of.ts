import { createHash } from 'node:crypto';
import {
  VillageEgress,
  type AgentSpec,
  type EgressAttempt,
  type EgressPolicy,
  type TierEgress,
} from '@hamlet/contract';
import { deny, egressPolicyOf, isSupply, type EgressDenial } from '@hamlet/core/egress';
import type { AgentSource } from '../agents/agent-source.ts';
import type { VillageSettings } from '../settings/village-settings.ts';

/** The current egress rules of an agent. An unknown agent has those of the village. */
export type EgressOf = (agentId: string) => EgressPolicy;

const NO_TIER: TierEgress = {};

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** The rules while the village closes every way out. */
const CLOSED = egressPolicyOf({ village: VillageEgress.parse({}), tier: NO_TIER, agent: undefined }, sha256);

/** Rules that open nothing while the setting `egress_open` is off. */
export function switchedEgress(egressOf: EgressOf, settings: Pick<VillageSettings, 'values'>): EgressOf {
  return (agentId) => (settings.values.egress_open ? egressOf(agentId) : CLOSED);
}

/** True for an attempt that goes to a source which an admin chose for its agent: its repository without the proposals of others, or a registry. */
export type IsSupply = (attempt: EgressAttempt) => boolean;

export const createIsSupply =
  (village: VillageEgress, source: Pick<AgentSource, 'get'>): IsSupply =>
  ({ agent, uid, ...asked }) => {
    const record = source.get(agent);
    return isSupply({ village, agent: record?.uid === uid ? record.spec : undefined }, asked);
  };

const SHUT = deny(
  'egress_denied',
  'an admin has closed every way out of the village; ask an admin to open it in its settings',
);

/**
 * The denial of every host while the setting `egress_open` is off, even of hosts that no rule opens but a person may
 * open; null otherwise.
 */
export const refuseShut = (policy: EgressPolicy): EgressDenial | null => (policy === CLOSED ? SHUT : null);

/** Caches the result by tier and spec, because the source replaces these objects with every change. */
export function createEgressOf(village: VillageEgress, source: Pick<AgentSource, 'get' | 'entitlement'>): EgressOf {
  const known = new WeakMap<TierEgress, WeakMap<AgentSpec, EgressPolicy>>();
  const resolve = (tier: TierEgress, agent: AgentSpec | undefined): EgressPolicy =>
    egressPolicyOf({ village, tier, agent }, sha256);
  return (agentId) => {
    const record = source.get(agentId);
    const tierName = record?.status.tier;
    const tier = (tierName === undefined ? null : source.entitlement(tierName))?.egress ?? NO_TIER;
    if (record === null) return resolve(tier, undefined);
    const ofTier = known.get(tier) ?? new WeakMap<AgentSpec, EgressPolicy>();
    known.set(tier, ofTier);
    const policy = ofTier.get(record.spec) ?? resolve(tier, record.spec);
    ofTier.set(record.spec, policy);
    return policy;
  };
}
