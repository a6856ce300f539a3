/** The last state of agents and runs that the api has reported, and how current it is. */
import type { Boost, CapabilitySummary, ComputeClaim, Presence, ScheduleActivity, Standing } from '@hamlet/contract';

/**
 * Freshness of the api's state. `Current`: the operator follows the stream. `Last`: it has read the state, and the api
 * does not answer now. `None`: it has not read the state yet; the written status is the best source.
 */
export type ApiState = 'Current' | 'Last' | 'None';

export interface KnownClaim extends ComputeClaim {
  /** When this process last asked the api about the claim and got an answer, in milliseconds since 1970. */
  readonly askedMs?: number | undefined;
  /** True if the operator has (tried to) release the claim. It ignores the claim until the api sends a newer version. */
  readonly givenUp?: boolean;
}

/** A compute claim, judged at one moment. */
export interface Hold extends KnownClaim {
  /** True if the paid time is over, or ends so soon that the pod must end now. */
  readonly lapsed: boolean;
  /** True if the api answered a request recently. It releases no claim within a minute after a request. */
  readonly fresh: boolean;
}

export interface ApiFacts {
  readonly reachable: boolean;
  /** True once the whole state was read. */
  readonly synced: boolean;
  standingOf(agentId: string): Standing | undefined;
  presenceOf(agentId: string): Presence | undefined;
  boostOf?(agentId: string): Boost | undefined;
  /** The last report of the agent's resident about everything that it was promised. */
  capabilitiesOf?(agentId: string): CapabilitySummary | undefined;
  claimOf?(agentId: string): KnownClaim | undefined;
}

export interface RunFacts extends Pick<ApiFacts, 'reachable' | 'synced'> {
  scheduleOf(uid: string): ScheduleActivity | undefined;
}

/** The pod must end, or become smaller, this long before the end of the paid time. */
const LAPSE_MARGIN_MS = 15_000;
/** Half of the minute after a request in which the api releases no claim. */
const FRESH_MS = 30_000;

/** Milliseconds until a claim lapses, unless the api renews it. */
export function lapsesInMs({ until }: Pick<ComputeClaim, 'until'>, nowMs: number): number {
  return (until === null ? nowMs : Date.parse(until)) - LAPSE_MARGIN_MS - nowMs;
}

export function holdAt(claim: KnownClaim | undefined, nowMs: number): Hold | undefined {
  if (claim === undefined) return undefined;
  const { askedMs } = claim;
  return {
    ...claim,
    lapsed: lapsesInMs(claim, nowMs) <= 0,
    fresh: askedMs !== undefined && nowMs - askedMs < FRESH_MS,
  };
}

export function apiStateOf({ reachable, synced }: Pick<ApiFacts, 'reachable' | 'synced'>): ApiState {
  if (!synced) return 'None';
  return reachable ? 'Current' : 'Last';
}
