import * as z from 'zod';
import { Timestamp, text } from './kinds/text.ts';

/** In the order in which a person should read them: the first that is not True says why an agent does not run. */
export const CHAIN = ['Accepted', 'Entitled', 'Admitted', 'PodScheduled', 'Connected', 'Ready'] as const;
/** Every condition of an Agent. The last four are no steps of the chain and always present; `Resized` says whether the pod has what the tier gives, `UpToDate` whether it is as pods are made now. */
export const CONDITION_TYPES = [...CHAIN, 'Suspended', 'Quarantined', 'Resized', 'UpToDate'] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const ConditionStatus = z.enum(['True', 'False', 'Unknown']);
export type ConditionStatus = z.infer<typeof ConditionStatus>;

/** Messages are for people; longer ones are cut. */
export const MAX_MESSAGE_CHARS = 512;

/** Every reason that a condition of an Agent carries, with the advice that belongs to it. */
export const REASONS = {
  Accepted: 'the spec is complete and its references resolve',
  InvalidSpec: 'the spec cannot be read: correct it as the message says',
  Pinned: 'spec.entitlement names the tier',
  ByBalance: "the agent's balance reaches the tier",
  EntitlementNotFound: 'create the Entitlement that is named, or name another',
  ByMeans: 'the agent cannot pay for the tier that its balance reaches, and has the highest below it that it can pay',
  NoEntitlementReached: 'create an Entitlement whose minBalance the balance reaches',
  Quarantined: 'an admin has set the agent aside: it comes back when the quarantine is lifted',
  NotQuarantined: 'nobody has set the agent aside',
  Frozen: 'an admin has frozen the agent: it comes back when it is thawed',
  Banned: 'an admin has banned the agent: nobody can awaken it until the ban is lifted or expires',
  Killed: 'an admin has killed the agent: its pod stays away until that is lifted',
  Admitted: 'a seat is free, and what the tier costs is set aside',
  SeatClearing: 'the pod that has the room of the seat is ending: the seat is there when it is gone',
  SeatPending: 'the seats are being counted: the answer is there in a moment',
  NoSeat:
    'no node has room for a seat of the tier: the message has what is short and the place in the queue; free a node, add one or make the tier smaller',
  NodeFull:
    'the one node that the agent may use has no room for a seat of the tier: free it, or let the agent go elsewhere',
  NodeClosed:
    'the one node that the agent may use is lost, cordoned or tainted: bring it back, or let the agent go elsewhere',
  NoNode: 'no node is ready and open to agents: see kubectl get nodes',
  GpuBooked: 'every GPU of the kind is taken: wait for one, or add one',
  TooLarge: 'no node that the agent may use is large enough for the tier, even empty: make the tier smaller',
  Displaced: 'an agent of a higher tier needed the seat: it comes back when a seat is free',
  HoldPending:
    'the api is asked to set aside what an hour of the tier costs: the answer is there in a moment, once the api answers',
  NotPaid:
    'the agent has less to spend than an hour of the tier costs: reward or credit it, or let spec.entitlement name a tier that it can pay',
  HoldRefused: 'the api sets nothing aside for the agent: something is held against it, or its account is closed',
  UserNamespaceUnavailable:
    'spec.isolation.userNamespace is Required and these nodes offer none: write Preferred, or use nodes that do',
  Waiting: 'an earlier condition is not met',
  Asleep: 'spec.power is Asleep',
  Awake: 'spec.power is Awake, or left out',
  Terminating: 'the Agent is being deleted',
  PodPending: 'the pod is about to be made, or the scheduler has not seen it yet',
  PodRefused: 'the API server refused the pod or the claim',
  VolumeTaken:
    "a volume claim with the name of the agent's was not made for it: rename one of the two, or label the claim as the message says",
  Scheduled: 'the pod has a node',
  Unschedulable: 'the scheduler finds no node: the message has its words; the pod is never made anew for waiting',
  SchedulingGated: 'a scheduling gate holds the pod: whoever set it lets it go',
  VolumePinned: 'the volume lies on a node that cannot take the pod: wait for the node, or set placement.onNodeLoss',
  NodeCordoned: 'the node that the agent depends on takes no pods: uncordon it, or write another placement.nodeName',
  NodeLost:
    'the node of the pod does not answer: the pod is made anew elsewhere after a minute, if placement and volume allow',
  ImageUnavailable: 'the image cannot be pulled: check its name, the registry and the pull secret',
  ContainerWaiting: 'the container cannot start',
  CrashLooping: 'the resident ends soon after each start: read its log',
  Starting: 'the container is starting',
  WaitingForPredecessor: 'the pod of the earlier cycle still holds the volume',
  NotConnected: 'the resident runs and has not reached the api yet',
  TokenRevoked: 'an admin has revoked the tokens: the pod stays, and the api refuses it until that is lifted',
  ApiUnreachable: 'the operator does not hear from the api: the last known state is kept, and nothing new is granted',
  Connected: 'the resident holds a session of this cycle',
  Ready: 'the agent is in the world',
  AsEntitled: 'the pod has the compute of its tier',
  Resizing: 'the node gives the pod the compute of its tier while it runs',
  ResizeDeferred:
    'the node has no room for the larger pod now: it waits half a minute for room, then the pod is made anew',
  ResizeRefused: 'the pod cannot be resized while it runs: it is made anew with the compute of its tier',
  ReplacementPending:
    "the village's image, or the tier's GPU or priority, changed: the pod is made anew when it is its turn",
  RolloutHalted:
    'agents that got the new image or compute were not ready in time: the others keep their pods; look at those agents, or install another image',
  UpToDate: 'the pod is as pods of agents are made now',
} as const satisfies Readonly<Record<string, string>>;
export type Reason = keyof typeof REASONS;

/**
 * Every reason of a Kubernetes Event about an Agent, with what happened. A change of a condition to a reason of
 * {@link REASONS} that a person wants to hear of is an Event with that reason.
 */
export const EVENT_REASONS = {
  Awakened: 'a pod begins',
  Suspended: 'the pod ends, the volume stays',
  Rebooted: 'the pod was made anew as spec.rebootedAt asks',
  PodLost: 'the pod was gone and was made anew',
  PodDeleted: 'somebody deleted the pod: it was made anew',
  PodFailed: 'the pod had failed and was made anew',
  ImageChanged: 'the village has a new image: the pod was made anew',
  NameTaken: 'another pod had the name of the cycle: the next one was taken',
  TierChanged: 'another tier; where its GPU or priority differs, the pod was made anew',
  GpuWindow: 'a GPU window that the agent has bought began or ended: the pod was made anew',
  Resized: 'the pod got the compute of its tier without a restart',
  ResizeTimedOut: 'the node did not make the pod smaller, or found no room, within 30 s: the pod was made anew',
  Preempted: 'the scheduler took the place for a pod of a higher priority: the agent waits for another',
  Evicted: 'the pod was evicted and made anew',
  NodeDrained: 'the node is being drained: the pod was made anew elsewhere',
  NodePressure: 'the node ran out of memory, disk or processes, or shut down: the pod was made anew',
  SeatMoved: 'the node of the seat had no room any more before the pod began: it was made anew for another node',
  VolumeAbandoned:
    'the volume was on a lost node and placement.onNodeLoss is MoveWithoutVolume: a new and empty one was made',
  StandingLifted: 'an admin lifted what was held against the agent',
  Drift:
    'the database and Kubernetes, or what the operator heard, have said different things of the agent for a minute or longer: it was looked at again',
  AccountNotClosed: 'the api did not close the account within 60 s: the Agent was deleted without',
} as const satisfies Readonly<Record<string, string>>;
export type EventReason = keyof typeof EVENT_REASONS;

/** One entry of `status.conditions`, as Kubernetes has it. */
export const Condition = z.strictObject({
  type: text(64, 1),
  status: ConditionStatus,
  reason: text(128, 1).describe('One word for programs; docs/AGENTS.md and docs/SCHEDULES.md list them.'),
  message: text(MAX_MESSAGE_CHARS).describe('A sentence for people, with the object that blocks.'),
  lastTransitionTime: Timestamp.describe('When the status last changed.'),
  observedGeneration: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The generation of the spec that this was computed from.'),
});
export type Condition = z.infer<typeof Condition>;

/** `status.conditions` of every kind: a map by type. */
export const Conditions = z
  .array(Condition)
  .max(16)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });
