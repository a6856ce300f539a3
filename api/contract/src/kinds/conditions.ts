import * as z from 'zod';
import { Timestamp, text } from './text.ts';

/** The types of conditions. The first that is not True says why an agent does not run. */
export const CHAIN = ['Accepted', 'Entitled', 'Admitted', 'PodScheduled', 'Connected', 'Ready'] as const;
/**
 * The last seven are outside the chain. `Resized`: the pod has the compute of its tier. `UpToDate`: the pod matches the
 * present template. `HandsReady`: the container of tools runs; without it an agent can think but not use its tools.
 * `CapabilitiesReady`: its tier has memory for its mind, and its resident reports no missing capability. `RulesChecked`: the examples of its rules hold, and
 * all names in them exist; only Agents with examples or with a wrong name have it.
 */
export const CONDITION_TYPES = [
  ...CHAIN,
  'Suspended',
  'Quarantined',
  'Resized',
  'UpToDate',
  'HandsReady',
  'CapabilitiesReady',
  'RulesChecked',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const ConditionStatus = z.enum(['True', 'False', 'Unknown']);
export type ConditionStatus = z.infer<typeof ConditionStatus>;

/** The first condition of a chain that is not True: it says why an agent does not run. */
export const firstUnmet = <T extends { readonly status: string }>(chain: readonly T[]): T | undefined =>
  chain.find(({ status }) => status !== 'True');

/** The operator cuts longer messages. */
export const MAX_MESSAGE_CHARS = 512;

export const REASONS = {
  Accepted: 'the spec is complete and its references resolve',
  InvalidSpec: 'the spec cannot be read: correct it as the message says',
  HandsImageRefused:
    'the village does not allow the image of spec.hands: leave it out, or add it to agentPods.handsImages of the chart',
  Pinned: 'spec.entitlement names the tier',
  ByBalance: "the agent's balance reaches the tier",
  EntitlementNotFound: 'the named Entitlement does not exist: create it, or name another',
  ByMeans: 'the agent cannot pay for the tier that its balance reaches: it gets the highest affordable tier below',
  NoEntitlementReached:
    'the balance reaches no tier: create an Entitlement whose minBalance it reaches, or credit the agent',
  Quarantined: 'an admin has quarantined the agent: it returns when an admin lifts the quarantine',
  NotQuarantined: 'the agent is not in quarantine',
  Frozen: 'an admin has frozen the agent: it returns when an admin lifts the freeze',
  Banned: 'an admin has banned the agent: it cannot be awakened until the ban is lifted or expires',
  Killed: 'an admin has killed the agent: it gets no pod until an admin lifts the kill',
  Admitted: 'a seat is free, and the price of the tier is on hold',
  SeatClearing: 'the pod that occupies the seat is ending: the seat is free once it has ended',
  SeatPending: 'the seats are being counted: wait a moment',
  NoSeat:
    'no node has room for a seat of the tier: free a node, add one or make the tier smaller; the message names what is short and the place in the queue',
  NodeFull:
    'the one node that the agent may use has no room for a seat of the tier: free it, or let the agent go elsewhere',
  NodeClosed:
    'the one node that the agent may use is lost, cordoned or tainted: bring it back, or let the agent go elsewhere',
  NodeShort:
    'the node of the agent is short of memory: it returns once the node recovers, or when another node may take it',
  NoNode: 'no node is ready and open to agents: see kubectl get nodes',
  GpuBooked: 'every GPU of the kind is taken: wait for one, or add one',
  TooLarge: 'no node that the agent may use is large enough for the tier, even empty: make the tier smaller',
  Displaced: 'an agent of a higher tier took the seat: the agent returns when a seat is free',
  HoldPending: "the operator has asked the API to hold the price of an hour: wait for the API's answer",
  NotPaid:
    'the agent cannot pay the price of an hour: reward or credit it, or name a tier in spec.entitlement that it can pay',
  HoldRefused: 'the API holds no money for the agent: a measure is in force, or its account is closed',
  UserNamespaceUnavailable:
    'spec.isolation.userNamespace is Required and these nodes offer none: write Preferred, or use nodes that do',
  Waiting: 'an earlier condition is not met',
  Asleep: 'spec.power is Asleep',
  Awake: 'spec.power is Awake, or left out',
  Terminating: 'the Agent is being deleted',
  PodPending: 'the pod is being created, or the scheduler has not seen it yet',
  PodRefused: 'the API server refused the pod or the claim',
  VolumeTaken:
    'another owner has a volume claim of that name: rename one of the two, or label the claim as the message says',
  Scheduled: 'the pod has a node',
  Unschedulable: 'the scheduler finds no node: see its reasons in the message; the pod waits and is not replaced',
  SchedulingGated: 'a scheduling gate holds the pod: remove the gate',
  VolumePinned: 'the volume is on a node that cannot take the pod: wait for the node, or set placement.onNodeLoss',
  NodeCordoned: 'the node that the agent depends on takes no pods: uncordon it, or write another placement.nodeName',
  NodeLost:
    'the node of the pod does not answer: after a minute the pod is replaced elsewhere, if placement and volume allow',
  ImageUnavailable: 'the image cannot be pulled: check its name, the registry and the pull secret',
  ContainerWaiting: 'the container cannot start',
  CrashLooping: 'the resident ends soon after each start: read its log',
  Starting: 'the container is starting',
  WaitingForPredecessor: 'the pod of the earlier cycle still holds the volume',
  NotConnected: 'the resident runs but has not reached the API yet',
  TokenRevoked:
    'an admin has revoked the tokens: the pod stays, but the API refuses its requests until an admin lifts the revocation',
  ApiUnreachable: 'the API is unreachable: the last known state is kept, and nothing new is granted',
  Connected: 'the resident holds a session of this cycle',
  Ready: 'the agent is in the world',
  AsEntitled: 'the pod has the compute of its tier',
  Resizing: 'the node gives the pod the compute of its tier while it runs',
  ResizeDeferred:
    'the node has no room for the larger pod now: the pod waits half a minute for room and is then replaced',
  ResizeRefused: 'the pod cannot be resized while it runs: it is replaced by one with the compute of its tier',
  ReplacementPending:
    "the image of the pod, or the tier's GPU or priority, changed: the pod is replaced when its turn comes",
  RolloutHalted:
    'agents with the new image or compute were not ready in time, so the others keep their pods: inspect those agents, or install another image',
  UpToDate: 'the pod matches the present template',
  HandsRunning: 'the hands run: tools can start in them',
  NoHands: 'the pod has no hands, so no tool can start in it',
  HandsRestarted:
    'the hands ended and the node started them again; processes that tools had left in the background are lost: read the earlier log of the container hands',
  HandsCrashLooping:
    'the hands end soon after each start: read the earlier log of the container hands, or correct the image in spec.hands',
  HandsOutOfMemory:
    'the hands used up the memory of the tier, and the node ended them: give the agent smaller work or a tier with more memory',
  NothingMissing: 'the resident reports no missing capability',
  CapabilityMissing:
    'the agent lacks a promised capability and works without it: do what the message says; the panel lists all capabilities, and the agent checks them every two minutes',
  MemoryShort:
    'the program that is the mind of the agent needs more memory than its tier has, so its runs fail: name the tier of the message in spec.entitlement',
  ExamplesHold: 'each rule passes its examples',
  ExamplesPending: 'the operator is loading the parser of shell commands: wait a moment',
  NameUnknown:
    'a rule or the list spec.tools.allow has a name of neither a tool nor a class of tools; this name has no effect, the others do: correct it as the message says',
  RuleBroken:
    'an example contradicts its rule, which now no longer allows but still asks and denies: correct the rule or its example',
  NotObserved: 'the operator has not written a status yet: wait a moment, then check that the operator runs',
} as const satisfies Readonly<Record<string, string>>;
export type Reason = keyof typeof REASONS;

/** Reasons that deserve attention even if the condition is True: the cause has passed, but its effects may remain. */
export const PAST_TROUBLE: ReadonlySet<string> = new Set<Reason>(['HandsRestarted', 'HandsOutOfMemory']);

/** Reasons of Events without a condition. An Event about a condition has one of {@link REASONS}. */
export const EVENT_REASONS = {
  Awakened: 'a pod begins',
  Suspended: 'the pod ends, the volume stays',
  Rebooted: 'spec.rebootedAt changed: the pod was replaced',
  PodLost: 'the pod was lost and replaced',
  PodDeleted: 'the pod was deleted from outside: it was replaced',
  PodFailed: 'the pod failed: it was replaced',
  ImageChanged: 'the village has a new image: the pod was replaced',
  NameTaken: 'another pod had the name of the cycle: the next cycle began',
  TierChanged: 'the tier changed; if its GPU or priority differs, the pod was replaced',
  GpuWindow: 'a GPU window of the agent began or ended: the pod was replaced',
  Resized: 'the pod got the compute of its tier without a restart',
  ResizeTimedOut: 'the node did not resize the pod within 30 s: the pod was replaced',
  Preempted: 'the scheduler gave the place to a pod of higher priority: the agent waits for another',
  Evicted: 'the pod was evicted: it was replaced',
  NodeDrained: 'the node is being drained: the pod was replaced elsewhere',
  NodePressure: 'the node ran out of memory, disk or processes, or shut down: the pod was replaced',
  SeatMoved: 'the node of the seat lost its room before the pod began: the pod was replaced for another node',
  VolumeAbandoned:
    'the volume was on a lost node and placement.onNodeLoss is MoveWithoutVolume: an empty one replaced it',
  StandingLifted: 'an admin lifted a measure against the agent',
  Drift:
    "the database, Kubernetes and the operator's cache differed for at least a minute: the agent was reconciled again",
  AccountNotClosed: 'the API did not close the account within 60 s: the Agent was deleted and its account left open',
} as const satisfies Readonly<Record<string, string>>;
export type EventReason = keyof typeof EVENT_REASONS;

export const Condition = z.strictObject({
  type: text(64, 1),
  status: ConditionStatus,
  reason: text(128, 1).describe('Reason as one word for programs; docs/AGENTS.md and docs/SCHEDULES.md list them.'),
  message: text(MAX_MESSAGE_CHARS).describe('Message for people, with the object that blocks.'),
  lastTransitionTime: Timestamp.describe('Time at which the status last changed.'),
  observedGeneration: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Generation of the spec from which this was computed.'),
});
export type Condition = z.infer<typeof Condition>;

export const Conditions = z
  .array(Condition)
  .max(16)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });
