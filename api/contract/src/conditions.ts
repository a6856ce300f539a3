import * as z from 'zod';
import { Timestamp, text } from './kinds/text.ts';

/** In the order in which a person should read them: the first that is not True says why an agent does not run. */
export const CHAIN = ['Accepted', 'Entitled', 'Admitted', 'PodScheduled', 'Connected', 'Ready'] as const;
/** Every condition of an Agent; `Suspended` and `Quarantined` are always present. */
export const CONDITION_TYPES = [...CHAIN, 'Suspended', 'Quarantined'] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const ConditionStatus = z.enum(['True', 'False', 'Unknown']);
export type ConditionStatus = z.infer<typeof ConditionStatus>;

/** Messages are for people; longer ones are cut. */
export const MAX_MESSAGE_CHARS = 512;

/**
 * Every reason the operator gives, with the advice that belongs to it. `PodScheduled` may also carry a reason of the
 * scheduler's own (`Unschedulable`, `SchedulingGated`), copied from the pod with its message.
 */
export const REASONS = {
  Accepted: 'the spec is complete and its references resolve',
  InvalidSpec: 'the spec cannot be read: correct it as the message says',
  Pinned: 'spec.entitlement names the tier',
  ByBalance: "the agent's balance reaches the tier",
  EntitlementNotFound: 'create the Entitlement that is named, or name another',
  NoEntitlementReached: 'create an Entitlement whose minBalance the balance reaches',
  Quarantined: 'an admin has set the agent aside: it comes back when the quarantine is lifted',
  NotQuarantined: 'nobody has set the agent aside',
  Frozen: 'an admin has frozen the agent: it comes back when it is thawed',
  Admitted: 'a seat is free',
  UserNamespaceUnavailable: 'spec.isolation.userNamespace is Required and these nodes offer none: write Preferred, or use nodes that do',
  Waiting: 'an earlier condition is not met',
  Asleep: 'spec.power is Asleep',
  Awake: 'spec.power is Awake',
  Terminating: 'the Agent is being deleted',
  PodPending: 'the pod is about to be made, or the scheduler has not seen it yet',
  PodRefused: 'the API server refused the pod or the claim',
  Scheduled: 'the pod has a node',
  VolumePinned: 'the volume lies on a node that cannot take the pod: wait for the node, or set placement.onNodeLoss',
  NodeLost: 'the node of the pod does not answer: Kubernetes gives the pod up after its toleration',
  ImageUnavailable: 'the image cannot be pulled: check its name, the registry and the pull secret',
  ContainerWaiting: 'the container cannot start',
  CrashLooping: 'the resident ends soon after each start: read its log',
  Starting: 'the container is starting',
  WaitingForPredecessor: 'the pod of the earlier cycle still holds the volume',
  NotConnected: 'the resident runs and has not reached the api yet',
  ApiUnreachable: 'the operator does not hear from the api: the last known state is kept',
  Connected: 'the resident holds a session of this cycle',
  Ready: 'the agent is in the world',
} as const satisfies Readonly<Record<string, string>>;
export type Reason = keyof typeof REASONS;

/** One entry of `status.conditions`, as Kubernetes has it. */
export const Condition = z.strictObject({
  type: text(64, 1),
  status: ConditionStatus,
  reason: text(128, 1).describe('One word for programs; docs/API.md lists them.'),
  message: text(MAX_MESSAGE_CHARS).describe('A sentence for people, with the object that blocks.'),
  lastTransitionTime: Timestamp.describe('When the status last changed.'),
  observedGeneration: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional().describe('The generation of the spec that this was computed from.'),
});
export type Condition = z.infer<typeof Condition>;

/** `status.conditions` of every kind: a map by type. */
export const Conditions = z
  .array(Condition)
  .max(16)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });
