import { type RawBuilder, sql } from 'kysely';

/** True for a run that its session does not hold back: no pause, and no earlier message that is open. For a query of `run`. */
export const IS_ITS_TURN = sql<boolean>`(run.state <> 'queued' or run.session_id is null or not exists (
  select from session_message mine join session on session.session_id = mine.session_id
  where mine.run_id = run.run_id and mine.author_role in ('member', 'admin') and (session.paused_at is not null or exists (
    select from session_message earlier
    where earlier.session_id = mine.session_id and earlier.state in ('queued', 'working') and earlier.number < mine.number))))`;

/** True for a run without a session, or of a session with this person. For a query of `run`. */
export function isSeenBy(personId: string): RawBuilder<boolean> {
  return sql<boolean>`(run.session_id is null or exists (
    select from session_person where session_person.session_id = run.session_id and person_id = ${personId}))`;
}
