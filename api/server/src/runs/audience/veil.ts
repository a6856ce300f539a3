import type { Run, RunEvent } from '@hamlet/contract';
import type { RunRow } from '@hamlet/store';
import type { Actor } from '../../http/actor.ts';
import { withoutInputs } from '../run-view.ts';

const OF_PERSON = 'Only the person who gave this run and admins read its texts.';
/** For admins in lists: members do not see runs of sessions of others. */
const OF_SESSION = 'This run belongs to a conversation of other people. Open it to read it: the audit then names you.';

export const veiledText = ({ session_id: session }: Pick<Run, 'session_id'>): string =>
  session === null ? OF_PERSON : OF_SESSION;

/**
 * True if an actor reads the texts of a run (prompt, result and events): the agent itself, the person who gave the run,
 * the people of its session, and admins. Runs of a Schedule are for admins. Pure.
 * @param inSession true if the actor is one of the people of the run's session, or opened it as an admin
 */
export function seesTexts(
  actor: Actor,
  run: Pick<RunRow, 'agentId' | 'agentUid' | 'sessionId' | 'createdByRole' | 'createdById'>,
  inSession: boolean,
): boolean {
  if (actor.role === 'agent') return actor.agentId === run.agentId && actor.uid === run.agentUid;
  if (actor.role !== 'member' && actor.role !== 'admin') return false;
  if (run.sessionId !== null) return inSession;
  const isPersonal = run.createdByRole === 'member' || run.createdByRole === 'admin';
  return actor.role === 'admin' || (isPersonal && run.createdById === actor.id);
}

export function veiledRun(run: Run): Run {
  const text = veiledText(run);
  const error = run.error === null ? null : { code: run.error.code, message: text };
  return { ...withoutInputs(run), prompt: text, summary: null, error, veiled: true };
}

const OPEN_FIELDS: ReadonlySet<string> = new Set([
  'step',
  'outcome',
  'code',
  'cycle',
  'state',
  'call_id',
  'permission_id',
  'tool',
  'why',
  'answer',
  'stage',
  'role',
  'round',
  'end',
]);

export function veiledEvent(event: RunEvent): RunEvent {
  switch (event.event) {
    case 'model_asked':
    case 'model_answered':
    case 'model_failed': {
      const { thoughts: _, ...shown } = event.detail;
      return { ...event, detail: { ...shown, text: null } };
    }
    case 'call_begun':
    case 'call_settled':
    case 'call_unknown': {
      const { exit: _, ...shown } = event.detail;
      return { ...event, detail: { ...shown, arguments_text: null, result_text: null } };
    }
    default:
      return {
        ...event,
        detail: Object.fromEntries(Object.entries(event.detail).filter(([key]) => OPEN_FIELDS.has(key))),
      };
  }
}
