import { type Selection, sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import type { Tables } from '../connection/tables.ts';

const SESSION_COLUMNS = [
  'session.session_id as sessionId',
  'session.agent_id as agentId',
  'session.title',
  'session.repository_url as repositoryUrl',
  'session.repository_branch as repositoryBranch',
  'session.created_by_role as createdByRole',
  'session.created_by_id as createdById',
  'session.created_at as createdAt',
  'session.last_at as lastAt',
  'session.paused_at as pausedAt',
  'session.terminated_at as terminatedAt',
  'session.forgotten_at as forgottenAt',
  'session.messages',
  'session.events',
] as const;

type Columns = Readonly<Selection<Tables, 'session', (typeof SESSION_COLUMNS)[number]>>;

export interface Person {
  readonly id: string;
  readonly name: string;
}

export interface ChatSessionRow extends Columns {
  /** In the order in which they joined. */
  readonly people: readonly Person[];
  /** Number of messages that wait for the agent. */
  readonly waiting: number;
  /** True if the agent works on a message. */
  readonly working: boolean;
}

/** The columns of a session, with its people and its open messages. */
export function selectSessions(db: Db) {
  return db
    .selectFrom('session')
    .select(SESSION_COLUMNS)
    .select([
      sql<readonly Person[]>`coalesce((
        select json_agg(json_build_object('id', person_id, 'name', name) order by added_at, person_id)
        from session_person where session_person.session_id = session.session_id), '[]')`.as('people'),
      sql<number>`(
        select count(*) from session_message
        where session_message.session_id = session.session_id and session_message.state = 'queued')`.as('waiting'),
      sql<boolean>`exists (
        select from session_message
        where session_message.session_id = session.session_id and session_message.state = 'working')`.as('working'),
    ]);
}

export const MESSAGE_COLUMNS = [
  'message_id as messageId',
  'session_id as sessionId',
  'number',
  'author_role as authorRole',
  'author_id as authorId',
  'author_name as authorName',
  'text',
  'at',
  'run_id as runId',
  'state',
  'in_reply_to as inReplyTo',
  'cost_micros as costMicros',
  'steps',
  'forgotten_at as forgottenAt',
  'progress',
  'version',
  'revised_at as revisedAt',
] as const;

export type MessageRow = Readonly<Selection<Tables, 'session_message', (typeof MESSAGE_COLUMNS)[number]>>;
