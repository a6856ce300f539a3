import type { AgentStatus, Condition, EventReason, Reason } from '@hamlet/contract/kinds';
import { conditionIn } from '../../status/condition.ts';
import { isBar } from './condition/standing.ts';

export interface AgentEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: Reason | EventReason;
  readonly message: string;
}

/** Reasons that become an Event when a condition changes to them. Reasons that occur in every start are omitted. */
const TYPES: { readonly [K in Reason]?: AgentEvent['type'] } = {
  InvalidSpec: 'Warning',
  EntitlementNotFound: 'Warning',
  NoEntitlementReached: 'Warning',
  NoSeat: 'Warning',
  NodeFull: 'Warning',
  NodeClosed: 'Warning',
  NodeShort: 'Warning',
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
  HandsRestarted: 'Warning',
  HandsCrashLooping: 'Warning',
  HandsOutOfMemory: 'Warning',
  CapabilityMissing: 'Warning',
  MemoryShort: 'Warning',
  RuleBroken: 'Warning',
  Ready: 'Normal',
};

function conditionEvents({ type, reason, message }: Condition, before: Condition | undefined): readonly AgentEvent[] {
  // A Ready that is not True repeats the reason of another condition, which has its own Event.
  if (reason === before?.reason || (type === 'Ready' && reason !== 'Ready')) return [];
  const kind = TYPES[reason as Reason];
  return kind === undefined ? [] : [{ type: kind, reason: reason as Reason, message }];
}

function tierEvents(before: AgentStatus, after: AgentStatus): readonly AgentEvent[] {
  if (before.tier === undefined || after.tier === undefined || before.tier === after.tier) return [];
  return [{ type: 'Normal', reason: 'TierChanged', message: `from ${before.tier} to ${after.tier}` }];
}

function liftEvents(before: Condition | undefined, after: Condition | undefined): readonly AgentEvent[] {
  if (!isBar(before?.reason) || after === undefined || isBar(after.reason)) return [];
  return [{ type: 'Normal', reason: 'StandingLifted', message: `no longer ${before?.reason ?? ''}` }];
}

/** An Event if the compute of the same pod has changed, even if no status showed the resize in progress. */
function resizeEvents(before: AgentStatus, after: AgentStatus): readonly AgentEvent[] {
  const [old, now] = [conditionIn(before, 'Resized'), conditionIn(after, 'Resized')];
  const isSamePod = after.podName !== undefined && before.podName === after.podName;
  if (!isSamePod || old === undefined || now?.status !== 'True' || old.message === now.message) return [];
  return [{ type: 'Normal', reason: 'Resized', message: now.message }];
}

/** The Events for a change of status. Pure: equal changes give equal texts, so that the recorder counts repeated Events. */
export function eventsFor(before: AgentStatus, after: AgentStatus): readonly AgentEvent[] {
  return [
    ...(after.conditions ?? []).flatMap((condition) => conditionEvents(condition, conditionIn(before, condition.type))),
    ...tierEvents(before, after),
    ...liftEvents(conditionIn(before, 'Entitled'), conditionIn(after, 'Entitled')),
    ...resizeEvents(before, after),
  ];
}
