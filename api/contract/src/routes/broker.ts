import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { EGRESS_REFUSALS, EgressPolicy } from '../values/egress.ts';
import { AgentId, Time } from '../values/scalars.ts';

/** Attempts, and ends of attempts, in one request. */
export const EGRESS_ATTEMPTS_MAX = 200;
export const EGRESS_HOST_MAX_CHARS = 300;
export const EGRESS_PATH_MAX_CHARS = 1024;
const CALL_ID_MAX_CHARS = 200;

const Refused = z.enum(EGRESS_REFUSALS);
const Uid = z.string().min(1).max(64);
const Cycle = z.int().min(0);
const Bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const atMost = (chars: number) => z.string().max(chars);

/** An agent behind a token, and the ways out that it has now. */
export const EgressAdmission = z.strictObject({ agent: AgentId, uid: Uid, cycle: Cycle, policy: EgressPolicy });
export type EgressAdmission = z.infer<typeof EgressAdmission>;

export const EgressDenied = z.strictObject({ verdict: z.literal('deny'), code: Refused, message: z.string() });

/** How a program left the pod: unread bytes, or requests that the broker reads, with TLS or without. */
export const EgressForm = z.enum(['tunnel', 'inspect', 'plain']);

/** The broker cuts texts to these lengths: one program's text never refuses the attempts of others. */
export const EgressAttempt = z.strictObject({
  id: z.uuid(),
  agent: AgentId,
  uid: Uid,
  cycle: Cycle,
  run: z.uuid().nullable().describe('Run that the pod names; the API checks it'),
  call: atMost(CALL_ID_MAX_CHARS).nullable().describe('Call that the pod names; the API checks it'),
  form: EgressForm,
  host: atMost(EGRESS_HOST_MAX_CHARS),
  port: z.int().min(1).max(65_535),
  method: atMost(16).nullable(),
  path: atMost(EGRESS_PATH_MAX_CHARS).nullable().describe('Without its query'),
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

/** Reason for which an agent must reach nothing any more, beside the measures of admins. */
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

/** Connections of this life that began under another version of its policy, or in an older cycle, must end. */
export const EgressCurrent = z.strictObject({ uid: Uid, cycle: Cycle, version: z.string().max(64) });
export type EgressCurrent = z.infer<typeof EgressCurrent>;

const ofBroker = {
  tag: 'broker',
  placement: 'absolute',
  audiences: ['agents'],
  permission: 'broker',
} as const;

export const admitEgress = defineRoute('POST /broker/admissions', {
  ...ofBroker,
  name: 'admitEgress',
  summary: 'The agent behind a token of a pod and its ways out, or the reason for which it has none',
  idempotency: 'natural',
  body: z.strictObject({ token: z.string().min(1).max(4096) }),
  answer: json(z.union([EgressAdmission, EgressDenied])),
});

export const keepEgressAttempts = defineRoute('POST /broker/attempts', {
  ...ofBroker,
  name: 'keepEgressAttempts',
  summary: 'Store attempts to leave a pod, and ends of earlier ones; a repeated one changes nothing',
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

export const readEgressSecret = defineRoute('POST /broker/secrets', {
  ...ofBroker,
  name: 'readEgressSecret',
  summary: 'The value of a secret that a rule of the agent names now; null if there is none',
  idempotency: 'natural',
  body: z.strictObject({ uid: Uid, name: z.string().min(1).max(253) }),
  answer: json(z.strictObject({ value: z.string().nullable() })),
});

export const openBrokerStream = defineRoute('GET /broker/stream', {
  ...ofBroker,
  name: 'openBrokerStream',
  summary: 'Agents that must reach nothing, and the versions of the rules of all others: first all, then each change',
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
