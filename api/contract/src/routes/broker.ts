import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { EGRESS_REFUSALS, EGRESS_WRITES, EgressPolicy } from '../values/egress.ts';
import { AgentId, Time } from '../values/scalars.ts';

/** Maximum number of attempts, and of ends of attempts, in one request. */
export const EGRESS_ATTEMPTS_MAX = 200;
export const EGRESS_HOST_MAX_CHARS = 300;
export const EGRESS_PATH_MAX_CHARS = 1024;
const CALL_ID_MAX_CHARS = 200;
export const EGRESS_SUMMARY_MAX_CHARS = 1000;
/** Maximum characters of a write's body that a person sees. */
export const EGRESS_EXCERPT_MAX_CHARS = 4000;
export const EGRESS_CHANGES_MAX = 100;
export const EGRESS_CHANGE_MAX_CHARS = 400;
/** Maximum seconds that one request waits for a person. The broker then repeats it. */
export const EGRESS_WAIT_MAX_MS = 10_000;

const Refused = z.enum(EGRESS_REFUSALS);
const Uid = z.string().min(1).max(64);
const Cycle = z.int().min(0);
const Bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const atMost = (chars: number) => z.string().max(chars);

const Life = z.strictObject({ agent: AgentId, uid: Uid, cycle: Cycle });

export const EgressAdmission = Life.extend({ policy: EgressPolicy });
export type EgressAdmission = z.infer<typeof EgressAdmission>;

export const EgressDenied = z.strictObject({ verdict: z.literal('deny'), code: Refused, message: z.string() });

export const EgressNotAdmitted = EgressDenied.extend({
  life: Life.optional().describe(
    "The agent's life, with which the broker reports its attempts; absent if the token is unknown or the agent's record of this hour is full",
  ),
});
export type EgressNotAdmitted = z.infer<typeof EgressNotAdmitted>;

/** How a request leaves the pod: in a tunnel, or read by the broker with or without TLS. */
export const EgressForm = z.enum(['tunnel', 'inspect', 'plain']);

/** The broker shortens texts to these lengths, so that one program's text cannot make the API refuse the attempts of others. */
export const EgressAttempt = z.strictObject({
  id: z.uuid(),
  agent: AgentId,
  uid: Uid,
  cycle: Cycle,
  run: z.uuid().nullable().describe('Run that the pod claims; the API checks it'),
  call: atMost(CALL_ID_MAX_CHARS).nullable().describe('Call that the pod claims; the API checks it'),
  form: EgressForm,
  host: atMost(EGRESS_HOST_MAX_CHARS),
  port: z.int().min(1).max(65_535),
  method: atMost(16).nullable(),
  path: atMost(EGRESS_PATH_MAX_CHARS).nullable().describe('Without its query'),
  proposals: z.literal(true).optional().describe('Present if git asks for pull requests, which strangers may make'),
  refused: Refused.nullable().describe('Null if the broker lets it out'),
  at: Time,
});
export type EgressAttempt = z.infer<typeof EgressAttempt>;

export const EgressEnd = z.strictObject({
  id: z.uuid(),
  address: atMost(64).nullable().describe('Address that the attempt reached'),
  status: z.int().min(100).max(999).nullable(),
  sent_bytes: Bytes,
  received_bytes: Bytes,
  refused: Refused.nullable(),
  duration_ms: Bytes,
});
export type EgressEnd = z.infer<typeof EgressEnd>;

/** Reasons to cut off an agent, besides the measures of admins. */
export const EgressStopped = z.strictObject({
  uid: Uid,
  agent: AgentId,
  reason: z.enum([
    'agent_killed',
    'agent_banned',
    'agent_quarantined',
    'agent_frozen',
    'token_revoked',
    'village_frozen',
    'life_ended',
  ]),
});
export type EgressStopped = z.infer<typeof EgressStopped>;

/** Connections of this life must end if they began under another version of its policy or in an older cycle. */
export const EgressCurrent = z.strictObject({ uid: Uid, cycle: Cycle, version: z.string().max(64) });
export type EgressCurrent = z.infer<typeof EgressCurrent>;

const ofBroker = {
  tag: 'broker',
  placement: 'absolute',
  audiences: ['agents'],
  permission: 'broker',
} as const;

export const admitEgress = defineRoute('admitEgress POST /broker/admissions', {
  ...ofBroker,
  summary: "The agent that owns a pod's token and its egress rules, or the reason for a refusal",
  idempotency: 'natural',
  body: z.strictObject({ token: z.string().min(1).max(4096) }),
  answer: json(z.union([EgressAdmission, EgressNotAdmitted])),
});

export const keepEgressAttempts = defineRoute('keepEgressAttempts POST /broker/attempts', {
  ...ofBroker,
  summary: 'Store attempts to leave a pod, and ends of earlier attempts; repeating them has no effect',
  idempotency: 'natural',
  bodyMaxBytes: 1 << 20,
  body: z.strictObject({
    begin: z.array(EgressAttempt).max(EGRESS_ATTEMPTS_MAX),
    end: z.array(EgressEnd).max(EGRESS_ATTEMPTS_MAX),
  }),
  answer: json(
    z.strictObject({
      begun: z.int().min(0).describe('Attempts that were new'),
      ended: z.int().min(0).describe('Ends that were new'),
    }),
  ),
});

export const readEgressSecret = defineRoute('readEgressSecret POST /broker/secrets', {
  ...ofBroker,
  summary:
    'The present value of a secret that a rule of the agent names; null if it does not exist, or if it is not for the host',
  idempotency: 'natural',
  body: z.strictObject({
    uid: Uid,
    name: z.string().min(1).max(253),
    host: atMost(EGRESS_HOST_MAX_CHARS).describe('Host that would receive the secret'),
  }),
  answer: json(
    z.strictObject({
      value: z.string().nullable(),
      for_host: z.boolean().describe('False if the owner of the Secret does not name the host'),
    }),
  ),
});

const WriteCall = atMost(CALL_ID_MAX_CHARS).nullable().describe('Call that the pod claims; the API checks it');

const WriteOf = {
  ask: z.uuid().describe('Id of the write, and of its attempt if it goes out'),
  uid: Uid,
  run: z.uuid().nullable().describe('Run that the pod claims; without a live run of the agent the write is denied'),
};

export const EgressWrite = z.strictObject({
  ...WriteOf,
  cycle: Cycle,
  call: WriteCall,
  kind: z.enum(EGRESS_WRITES),
  summary: z.string().min(1).max(EGRESS_SUMMARY_MAX_CHARS).describe('One line for the person; the agent wrote parts'),
  changes: z.array(atMost(EGRESS_CHANGE_MAX_CHARS)).max(EGRESS_CHANGES_MAX).describe('References that a push changes'),
  details: z
    .array(atMost(EGRESS_CHANGE_MAX_CHARS))
    .max(EGRESS_CHANGES_MAX)
    .default([])
    .describe('Push options and unusual headers'),
  body: atMost(EGRESS_EXCERPT_MAX_CHARS).nullable().describe('Start and end of the body, if it is text'),
  bytes: Bytes.nullable().describe('Length of the body, if it is known'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .describe('Hash of destination, method, target, headers and body; null if the broker has not read the body'),
  rules: z.string().max(64).describe('Version of the egress rules by which the broker judged'),
  by_rule: z.boolean().describe('True if the matching rule of the agent says writes: Allow'),
});
export type EgressWrite = z.infer<typeof EgressWrite>;

export const EgressPermitted = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.literal('allow'), permission_id: z.uuid().nullable() }),
  z.strictObject({ verdict: z.literal('wait'), permission_id: z.uuid() }),
  EgressDenied,
]);
export type EgressPermitted = z.infer<typeof EgressPermitted>;

export const permitEgress = defineRoute('permitEgress POST /broker/permits', {
  ...ofBroker,
  summary:
    'Judge a write that leaves a pod, ask people if the rules require it, and wait a few seconds. The verdict allow stores the effect and uses up the permission',
  idempotency: 'natural',
  body: EgressWrite.extend({
    wait_ms: z.int().min(0).max(EGRESS_WAIT_MAX_MS).describe('Time for which the request waits for an answer'),
  }),
  answer: json(EgressPermitted),
});

/** A host that no rule opens, with the request that was made to it. */
export const EgressHostAsk = z.strictObject({
  uid: Uid,
  cycle: Cycle,
  run: z.uuid().describe('Run that the pod claims; without a live run of the agent the host stays closed'),
  call: WriteCall,
  host: atMost(EGRESS_HOST_MAX_CHARS).describe('Exact name in lower case'),
  port: z.int().min(1).max(65_535),
  summary: z.string().min(1).max(EGRESS_SUMMARY_MAX_CHARS).describe('The first request; the agent wrote parts'),
  rules: z.string().max(64).describe('Version of the egress rules by which the broker judged'),
});
export type EgressHostAsk = z.infer<typeof EgressHostAsk>;

export const permitEgressHost = defineRoute('permitEgressHost POST /broker/hosts', {
  ...ofBroker,
  summary:
    'Ask an admin to open one host and port for a run, once for all its requests, and wait a few seconds. The verdict allow holds for the reads of this run; each write asks again',
  idempotency: 'natural',
  body: EgressHostAsk.extend({
    wait_ms: z.int().min(0).max(EGRESS_WAIT_MAX_MS).describe('Time for which the request waits for an answer'),
  }),
  answer: json(EgressPermitted),
});

export const withdrawEgress = defineRoute('withdrawEgress POST /broker/withdrawals', {
  ...ofBroker,
  summary: 'Withdraw a write that was not sent or whose program no longer waits: people are no longer asked about it',
  idempotency: 'natural',
  body: z.strictObject(WriteOf),
  answer: json(z.strictObject({ withdrawn: z.boolean() })),
});

export const openBrokerStream = defineRoute('openBrokerStream GET /broker/stream', {
  ...ofBroker,
  summary:
    'Agents that are cut off, and the versions of the rules of all others: first the whole state, then each change',
  answer: {
    kind: 'sse',
    events: {
      stopped: EgressStopped,
      current: EgressCurrent,
      // Sent after the present state of all agents.
      synced: z.strictObject({}),
    },
  },
});
