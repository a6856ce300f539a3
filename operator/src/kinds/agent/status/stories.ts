import type { AgentStatus, Condition, EventReason, Reason } from '@hamlet/contract/kinds';

/** An Event about an Agent. */
export interface Story {
  readonly type: 'Normal' | 'Warning';
  readonly reason: Reason | EventReason;
  readonly message: string;
}

/**
 * The reasons that a person wants to hear of when a condition changes to them. Those that a cycle begins with are told
 * by the cycle; steps that every start goes through are told by nobody.
 */
const TOLD: { readonly [K in Reason]?: Story['type'] } = {
  InvalidSpec: 'Warning',
  EntitlementNotFound: 'Warning',
  NoEntitlementReached: 'Warning',
  NoSeat: 'Warning',
  NodeFull: 'Warning',
  NodeClosed: 'Warning',
  NoNode: 'Warning',
  TooLarge: 'Warning',
  GpuBooked: 'Warning',
  NotPaid: 'Warning',
  HoldRefused: 'Warning',
  UserNamespaceUnavailable: 'Warning',
  PodRefused: 'Warning',
  VolumeTaken: 'Warning',
  Unschedulable: 'Warning',
  SchedulingGated: 'Normal',
  VolumePinned: 'Warning',
  NodeCordoned: 'Warning',
  NodeLost: 'Warning',
  ImageUnavailable: 'Warning',
  ContainerWaiting: 'Warning',
  CrashLooping: 'Warning',
  TokenRevoked: 'Warning',
  ResizeDeferred: 'Warning',
  ResizeRefused: 'Warning',
  RolloutHalted: 'Warning',
  Ready: 'Normal',
};

/** A bar that holds while no pod is there has no cycle to tell of it. */
const BARS: ReadonlySet<string> = new Set(['Killed', 'Banned', 'Quarantined', 'Frozen']);

const byType = ({ conditions = [] }: AgentStatus): ReadonlyMap<string, Condition> =>
  new Map(conditions.map((condition) => [condition.type, condition]));

function told(condition: Condition, before: Condition | undefined): readonly Story[] {
  const { type, reason, message } = condition;
  if (reason === before?.reason) return [];
  // Ready repeats the reason of the condition that blocks.
  if (type === 'Ready' && reason !== 'Ready') return [];
  const kind = TOLD[reason as Reason];
  return kind === undefined ? [] : [{ type: kind, reason: reason as Reason, message }];
}

function tierStory(before: AgentStatus, after: AgentStatus): readonly Story[] {
  if (before.tier === undefined || after.tier === undefined || before.tier === after.tier) return [];
  return [{ type: 'Normal', reason: 'TierChanged', message: `from ${before.tier} to ${after.tier}` }];
}

function liftStory(before: Condition | undefined, after: Condition | undefined): readonly Story[] {
  const wasBarred = BARS.has(before?.reason ?? '');
  if (!wasBarred || after === undefined || BARS.has(after.reason)) return [];
  return [{ type: 'Normal', reason: 'StandingLifted', message: `no more ${before?.reason ?? ''}` }];
}

/** The same pod has other compute than before, however short the time in which it got it. */
function resizeStory(before: AgentStatus, after: AgentStatus): readonly Story[] {
  const now = byType(after).get('Resized');
  const old = byType(before).get('Resized');
  const isSamePod = after.podName !== undefined && before.podName === after.podName;
  if (!isSamePod || old === undefined || now?.status !== 'True' || old.message === now.message) return [];
  return [{ type: 'Normal', reason: 'Resized', message: now.message }];
}

/** What there is to tell of a status that replaces another. Pure: the same change is told with the same words, and counted. */
export function storiesOf(before: AgentStatus, after: AgentStatus): readonly Story[] {
  const [old, now] = [byType(before), byType(after)];
  return [
    ...[...now.values()].flatMap((condition) => told(condition, old.get(condition.type))),
    ...tierStory(before, after),
    ...liftStory(old.get('Entitled'), now.get('Entitled')),
    ...resizeStory(before, after),
  ];
}
