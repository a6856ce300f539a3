import type { Handlers } from '../http/handler.ts';
import { removeSessionPerson } from './leave-session.ts';
import { messageHandlers, type MessagePorts } from './message-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import { sessionStreamHandler, type StreamHandlerPorts } from './stream-handler.ts';
import { timelineHandler } from './timeline-handler.ts';

export function allSessionHandlers(ports: MessagePorts & StreamHandlerPorts) {
  return {
    ...sessionHandlers(ports),
    ...messageHandlers(ports),
    removeSessionPerson: removeSessionPerson(),
    ...sessionStreamHandler(ports),
    ...timelineHandler(ports),
  } satisfies Partial<Handlers>;
}
