import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, NEXT_CURSOR, paging, Time } from '../../values/scalars.ts';

const EGRESS_PAGE_MAX = 100;

/** An attempt of a program in a pod to reach the outside, as the broker saw it. */
export const EgressRecord = z.strictObject({
  id: z.uuid(),
  agent_id: AgentId,
  uid: z.string(),
  cycle: z.int().min(0),
  run_id: z.uuid().nullable(),
  call_id: z.string().nullable(),
  run_witnessed: z
    .boolean()
    .describe('True if the API saw the run of this agent under way; otherwise only the pod names it'),
  call_witnessed: z.boolean().describe('True if the API had begun the call; otherwise only the pod names it'),
  form: z.string(),
  host: z.string(),
  port: z.int(),
  method: z.string().nullable(),
  path: z.string().nullable(),
  refused: z.string().nullable().describe('Code of the refusal; null if the broker let it out'),
  begun_at: Time,
  ended_at: Time.nullable(),
  address: z.string().nullable(),
  status: z.int().nullable(),
  sent_bytes: z.int().nullable(),
  received_bytes: z.int().nullable(),
  cut_off: z.string().nullable().describe('Code of the reason for which it ended early'),
});
export type EgressRecord = z.infer<typeof EgressRecord>;

export const listEgress = defineRoute('listEgress GET /egress', {
  summary: 'Attempts of agents to reach the outside, allowed and refused, newest first',
  tag: 'log',
  audiences: ['people'],
  permission: 'audit:read',
  query: z.strictObject({
    agent_id: AgentId.optional(),
    run_id: z.uuid().optional(),
    host: z.string().min(1).max(253).optional(),
    refused: z.enum(['true', 'false']).optional(),
    ...paging(EGRESS_PAGE_MAX, { cursorChars: 1024 }),
  }),
  answer: json(z.strictObject({ attempts: z.array(EgressRecord), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});
