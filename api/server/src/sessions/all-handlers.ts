import type { Handlers } from '../http/handler.ts';
import { removeSessionPerson } from './leave-session.ts';
import { messageHandlers } from './message-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import { sessionStreamHandler } from './stream-handler.ts';
import { timelineHandler } from './timeline-handler.ts';
import type { Village } from '../village.ts';

export function allSessionHandlers(village: Village) {
  return {
    ...sessionHandlers(village),
    ...messageHandlers(village),
    removeSessionPerson,
    ...sessionStreamHandler(village),
    ...timelineHandler(village),
  } satisfies Partial<Handlers>;
}
