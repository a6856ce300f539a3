import type { Handlers } from '../http/handler.ts';
import { removeSessionPerson } from './leave-session.ts';
import { messageHandlers } from './message-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import { sessionStreamHandler } from './stream-handler.ts';
import { timelineHandler } from './timeline-handler.ts';
import type { Village } from '../village.ts';

export function allSessionHandlers(ports: Village & Village) {
  return {
    ...sessionHandlers(ports),
    ...messageHandlers(ports),
    removeSessionPerson: removeSessionPerson(),
    ...sessionStreamHandler(ports),
    ...timelineHandler(ports),
  } satisfies Partial<Handlers>;
}
