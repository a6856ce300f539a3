import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { Standing } from '../standing.ts';
import { Boost, Presence, ScheduleActivity } from './internal.ts';
import { AgentId } from './scalars.ts';
import { ComputeClaim } from './spending/claims.ts';

/** Most entries of one page. */
export const BOOKS_PAGE_MAX = 200;

const limit = z.coerce.number().int().min(1).max(BOOKS_PAGE_MAX).default(BOOKS_PAGE_MAX);

const books = {
  tag: 'internal',
  method: 'GET',
  placement: 'absolute',
  audiences: ['agents'],
  permission: 'operator',
  idempotency: 'read',
  reasons: [],
} as const;

/** All that the database holds of one agent and the operator acts on. Null where it holds nothing. */
export const AgentBooks = z.strictObject({
  agent_id: AgentId,
  life_uid: z.string().nullable().meta({
    description:
      'The life that is open: the uid of an Agent. Null before its first pod asked for a session, and once it is closed',
  }),
  standing: Standing.nullable(),
  presence: Presence.nullable(),
  boost: Boost.nullable(),
  claim: ComputeClaim.nullable(),
});
export type AgentBooks = z.infer<typeof AgentBooks>;

export const listAgentBooks = defineRoute({
  ...books,
  name: 'listAgentBooks',
  summary:
    'What the database holds of each agent, by name, for the drift audit of the operator. All of a page is of one moment',
  path: '/internal/books/agents',
  query: z.strictObject({ after: AgentId.optional().meta({ description: 'The last name of the page before' }), limit }),
  answer: {
    kind: 'json',
    schema: z.strictObject({
      agents: z.array(AgentBooks),
      next: AgentId.nullable().meta({ description: 'The `after` of the next page; null on the last' }),
    }),
  },
});

const ScheduleUid = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\w.-]+$/, 'the uid of a Schedule');

export const listScheduleBooks = defineRoute({
  ...books,
  name: 'listScheduleBooks',
  summary: 'How the runs of each schedule stand in the database, by uid, for the drift audit of the operator',
  path: '/internal/books/schedules',
  query: z.strictObject({
    after: ScheduleUid.optional().meta({ description: 'The last uid of the page before' }),
    limit,
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({
      schedules: z.array(ScheduleActivity),
      next: z.string().nullable().meta({ description: 'The `after` of the next page; null on the last' }),
    }),
  },
});
