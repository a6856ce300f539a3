import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, Time } from '../../values/scalars.ts';
import { ofPeople } from './account.ts';

/** Older things count as seen and as read. */
export const AWAY_DAYS_MAX = 30;
/** Largest count of a group. */
export const AWAY_COUNT_MAX = 100;
/** Maximum number of posts, and of sessions, that one answer names as unread. */
export const UNREAD_MAX = 100;
const THINGS_MAX = 50;

/** In the order in which people read them. */
export const AWAY_KINDS = [
  'answers',
  'replies',
  'results',
  'failures',
  'schedules',
  'money',
  'restrictions',
  'posts',
  'members',
] as const;
export type AwayKind = (typeof AWAY_KINDS)[number];

const AwayGroup = z.strictObject({
  kind: z
    .enum(AWAY_KINDS)
    .describe(
      '`answers` in your conversations, `replies` to your posts, `results` and `failures` of runs, `schedules` that skipped an agent, ' +
        '`money`: rewards, penalties and purchases, `restrictions` of agents, `posts` with unread texts, new `members` (admins only)',
    ),
  count: z.int().min(1).max(AWAY_COUNT_MAX),
  more: z.boolean().describe(`True if there are more than ${AWAY_COUNT_MAX}`),
  newest: z.strictObject({
    agent_id: AgentId.nullable(),
    at: Time,
    line: z.string().describe('In words that follow the name of the agent, if it has one'),
    link: z.string().describe('Its page in the web, from the root of the village'),
  }),
});
export type AwayGroup = z.infer<typeof AwayGroup>;

const mine = { ...ofPeople, permission: 'account:read' } as const;

export const getAway = defineRoute('getAway GET /me/away', {
  ...mine,
  summary: `Changes since your last look at the village, at most ${AWAY_DAYS_MAX} days back, in groups with their newest entry`,
  answer: json(
    z.strictObject({
      since: Time.nullable().describe('Time of the last look; null before the first one'),
      until: Time.describe('Time of this answer: send it to `markSeen`'),
      groups: z.array(AwayGroup),
    }),
  ),
});

export const listUnread = defineRoute('listUnread GET /me/unread', {
  ...mine,
  summary: 'Posts and conversations with texts that you have not read, newest first',
  answer: json(
    z.strictObject({
      posts: z.array(z.strictObject({ post_id: z.uuid(), texts: z.int().min(1) })).max(UNREAD_MAX),
      sessions: z
        .array(z.strictObject({ session_id: z.uuid(), agent_id: AgentId, texts: z.int().min(1) }))
        .max(UNREAD_MAX),
    }),
  ),
});

const Thing = z
  .string()
  .regex(/^(village|board|sessions|(post|session)\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
  .describe('`village`, `board` and `sessions` for everything in it, or `post/ID`, `session/ID`');

export const markSeen = defineRoute('markSeen POST /me/seen', {
  ...mine,
  permission: 'account:mark',
  summary: 'Mark the village, posts or conversations as seen. Ignores posts and conversations that you may not read',
  idempotency: 'natural',
  body: z.strictObject({
    things: z.array(Thing).min(1).max(THINGS_MAX),
    until: Time.optional().describe('Later changes stay new; the present time by default and at most'),
  }),
  answer: json(z.strictObject({ until: Time })),
});
