import { villageTool, VILLAGE_TOOL_NAMES, type CallOutcome, type Limits, type ToolRate } from '@hamlet/contract';
import { bytes } from '@hamlet/core/seats';
import { countSlots, waitForRate, type Tx } from '@hamlet/store';
import { refused, type Refused } from '../../http/outcome.ts';
import type { AgentLimits } from '../../limits/agent-limits.ts';
import { deniedOutcome } from '../call-outcomes.ts';
import type { Village } from '../../village.ts';

const HOUR_S = 3_600;

interface Rate {
  readonly limit: (limits: Limits) => number | null;
  readonly reason: 'too_many_searches' | 'too_many_web_requests' | 'too_many_browser_calls';
  readonly words: string;
}

const RATES: Readonly<Record<ToolRate, Rate>> = {
  web_search: {
    limit: (limits) => limits.web_searches_per_hour,
    reason: 'too_many_searches',
    words: 'searches of the web',
  },
  web_request: {
    limit: (limits) => limits.web_requests_per_hour,
    reason: 'too_many_web_requests',
    words: 'requests to the web',
  },
  browser: {
    limit: (limits) => limits.browser_calls_per_hour,
    reason: 'too_many_browser_calls',
    words: 'calls of the browser',
  },
};

const toolsOf = (rate: ToolRate): readonly string[] =>
  VILLAGE_TOOL_NAMES.filter((name) => villageTool(name)?.rate === rate);

/**
 * Refuses a call whose tier has used up its rate of the last hour. Counts the stored starts, so the limit spans
 * replicas and restarts. Locks the agent: it begins no other call until the transaction ends.
 */
export async function refuseByRate(
  tx: Tx,
  { limits }: Village,
  { agentId, tool }: { readonly agentId: string; readonly tool: string },
): Promise<Refused | null> {
  const rate = villageTool(tool)?.rate;
  if (rate === undefined) return null;
  const allowance = await limits.of(agentId, tx);
  const { limit, reason, words } = RATES[rate];
  const allowed = allowance === null ? 0 : (limit(allowance.limits) ?? 0);
  const waitS = allowed === 0 ? HOUR_S : await waitForRate(tx, { agentId, tools: toolsOf(rate), allowed });
  if (waitS === null) return null;
  const tier = allowance === null ? 'Without a tier' : `The tier ${allowance.tier}`;
  const next = allowed === 0 ? '' : `; the next one in ${waitS} s`;
  return refused(reason, `${tier} allows ${allowed} ${words} an hour${next}`, waitS);
}

export function deniedByMemory(
  { source }: Village,
  { agentId, tool }: { readonly agentId: string; readonly tool: string },
): CallOutcome | null {
  const needed = villageTool(tool)?.memory;
  if (needed === undefined) return null;
  const tier = source.get(agentId)?.status.tier;
  const has = tier === undefined ? undefined : source.entitlement(tier)?.compute.resources.memory;
  if (has !== undefined && bytes(has) >= bytes(needed)) return null;
  const roomy = source
    .entitlements()
    .filter(({ spec }) => bytes(spec.compute.resources.memory) >= bytes(needed))
    .toSorted((a, b) => a.spec.rank - b.spec.rank)
    .map(({ name }) => name);
  const present = has === undefined ? 'You have no tier' : `Your tier ${tier} has ${has}`;
  const others =
    roomy.length === 0
      ? 'No tier of this village has that much: an admin can create one'
      : `These tiers have it: ${roomy.join(', ')}`;
  return deniedOutcome('tier_too_small', `${tool} needs a tier with ${needed} of memory. ${present}. ${others}.`);
}

/** Seconds until a caller without a slot should ask again. */
const SLOT_RETRY_S = 2;

/** Refuses a call while the agent's calls take all slots of its tier. Locks the agent's slots until the transaction ends. */
export async function refuseFull(tx: Tx, limits: AgentLimits, agentId: string): Promise<Refused | null> {
  const allowance = await limits.of(agentId, tx);
  const allowed = allowance?.limits.concurrent_tools ?? 0;
  if ((await countSlots(tx, agentId)) < allowed) return null;
  const tier = allowance === null ? 'Without a tier' : `The tier ${allowance.tier}`;
  return refused('too_many_tools', `${tier} allows ${allowed} tools at one time: wait for one to end`, SLOT_RETRY_S);
}
