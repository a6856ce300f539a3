/** The last state of agents and runs that the api has reported, and how current it is. */
import type { Boost, ComputeClaim, Presence, ScheduleActivity, Standing } from '@hamlet/contract';

/**
 * Freshness of the api's state. `Current`: the operator follows the stream. `Last`: it has read the whole state once,
 * and the api does not answer now. `None`: this process has not read it yet, and the written status is the best source.
 */
export type ApiState = 'Current' | 'Last' | 'None';

/** A compute claim as this process knows it. */
export interface KnownClaim extends ComputeClaim {
  /** When the api last answered this process that money is held, in milliseconds since 1970. */
  readonly askedMs?: number | undefined;
  /** The operator has released it, or tried to: it counts for nothing until the api reports a newer version. */
  readonly givenUp?: boolean;
}

/** A compute claim at a moment. */
export interface Hold extends KnownClaim {
  /** The paid time is over, or ends so soon that the pod must end now. */
  readonly lapsed: boolean;
  /** The api answered recently: it releases nothing within a minute after a request. */
  readonly fresh: boolean;
}

/** The state that reconciling reads. */
export interface ApiFacts {
  /** The api answers now. */
  readonly reachable: boolean;
  /** The whole state has been read once. */
  readonly synced: boolean;
  standingOf(agentId: string): Standing | undefined;
  presenceOf(agentId: string): Presence | undefined;
  /** Purchases of the agent that last now. */
  boostOf?(agentId: string): Boost | undefined;
  /** The agent's compute claim; undefined without one. */
  claimOf?(agentId: string): KnownClaim | undefined;
}

/** Runs of Schedules, as the api reports them. */
export interface RunFacts extends Pick<ApiFacts, 'reachable' | 'synced'> {
  scheduleOf(uid: string): ScheduleActivity | undefined;
}

/** Time before the end of the paid time at which the pod must be gone, or smaller. */
const LAPSE_MARGIN_MS = 15_000;
/** Half of the minute within which the api releases nothing after a request. */
const FRESH_MS = 30_000;

/** Milliseconds until a claim lapses unless it is renewed. */
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
