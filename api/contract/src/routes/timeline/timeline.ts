import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Run } from '../../values/run/run.ts';
import { NEXT_CURSOR, paging, Time } from '../../values/scalars.ts';
import { ChatSession } from '../../values/session.ts';
import { FLAG_OF_MEASURE } from '../../values/standing.ts';
import { LedgerEntry } from '../economy.ts';
import { PurchaseView } from '../trade/purchases.ts';

/** Longest start of a post or reply in a timeline, in UTF-16 units. */
export const TIMELINE_TEXT_MAX_CHARS = 300;

export const TIMELINE_KINDS = ['session', 'run', 'firing', 'post', 'purchase', 'judgement', 'state'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

const FiringOfAgent = z.strictObject({
  firing_id: z.uuid(),
  schedule_uid: z.string(),
  slot: Time,
  fired_at: Time,
  run_id: z.uuid().nullable(),
  outcome: z.string().describe('`created`, or why this agent got no run'),
});

const PostOfAgent = z.strictObject({
  post_id: z.uuid(),
  reply_id: z.uuid().nullable().describe('Null for the post itself'),
  title: z.string().describe('Title of the post'),
  text: z.string().describe(`Its first ${TIMELINE_TEXT_MAX_CHARS} characters`),
});

const STATES = ['awakened', 'suspended', 'rebooted', 'fell_asleep', 'woke_up', 'tier', 'paused'] as const;

const StateOfAgent = z.strictObject({
  state: z
    .enum([...Object.values(FLAG_OF_MEASURE), ...STATES])
    .describe(
      'A measure of an admin, a change of its power, another tier, or a pause because its node is short of memory',
    ),
  by: z
    .strictObject({ role: z.string(), id: z.string() })
    .nullable()
    .describe('Null for a change that only admins read in the audit'),
  reason: z.string().nullable().describe('Reason of a measure or a pause'),
  expires_at: Time.nullable().describe('End of a measure; null lasts until it is lifted'),
  lifted_at: Time.nullable().describe('Time at which a measure was lifted or a pause ended'),
  tier: z.string().nullable().describe('The tier that its balance now opens'),
});
export type StateOfAgent = z.infer<typeof StateOfAgent>;

/** One entry of a timeline; the field that `kind` names is set. */
export const TimelineEntry = z.strictObject({
  id: z.uuid().describe('Id of the row that the entry shows'),
  kind: z.enum(TIMELINE_KINDS),
  at: Time,
  session: ChatSession.nullable(),
  run: Run.nullable(),
  firing: FiringOfAgent.nullable(),
  post: PostOfAgent.nullable(),
  purchase: PurchaseView.nullable(),
  judgement: LedgerEntry.nullable(),
  state: StateOfAgent.nullable(),
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;

export const getTimeline = defineRoute('getTimeline GET /agents/{agent_id}/timeline', {
  tag: 'sessions',
  permission: 'sessions:read',
  summary:
    'Everything of an agent in one list, newest first: conversations, runs, firings, posts, purchases, rewards and penalties, states',
  query: z.strictObject({
    kind: z.enum(TIMELINE_KINDS).optional().describe('Only entries of this kind'),
    session_id: z.uuid().optional().describe('Only this session and its runs'),
    whose: z
      .enum(['mine', 'all'])
      .default('mine')
      .describe('Without the sessions of others; only an admin reads all, and the audit records it'),
    ...paging(),
  }),
  answer: json(z.strictObject({ entries: z.array(TimelineEntry), ...NEXT_CURSOR })),
  reasons: ['no_such_agent', 'not_own_agent', 'cursor_invalid'],
});
