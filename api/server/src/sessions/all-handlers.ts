import type { Handlers } from '../http/handler.ts';
import { removeSessionPerson } from './leave-session.ts';
import { messageHandlers } from './message-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import type { Village } from '../village.ts';
import { accepted, refused } from '../http/outcome.ts';
import { openSession } from './transcript/session-access.ts';

const RETRY_S = 10;

function sessionStreamHandler({ db, sessions }: Village) {
  return {
    openSessionStream: {
      kind: 'stream',
      open: async (request, sink) => {
        const admitted = await openSession(db, request, request.params.session_id);
        if (!admitted.ok) return admitted;
        const last = request.headers['last-event-id'];
        const after = typeof last === 'string' && last !== '' ? last : request.query.after;
        const { sessionId } = admitted.data.session;
        const end = await sessions.open({ sessionId, actor: request.actor, after }, sink);
        return end === null ? refused('rate_limited', 'Too many streams are open: close some', RETRY_S) : accepted(end);
      },
    },
  } satisfies Partial<Handlers>;
}

export function allSessionHandlers(village: Village) {
  return {
    ...sessionHandlers(village),
    ...messageHandlers(village),
    removeSessionPerson,
    ...sessionStreamHandler(village),
  } satisfies Partial<Handlers>;
}
