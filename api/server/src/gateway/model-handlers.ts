import type { Village } from '../village.ts';
import { continuationHandlers } from './continuations/continuation-handlers.ts';
import { messageHandlers } from './conversations/message-handlers.ts';
import { gatewayHandlers } from './gateway-handlers.ts';
import { responseHandlers } from './responses/response-handlers.ts';

/** The routes of models in all formats. */
export function modelHandlers(village: Village) {
  return {
    ...gatewayHandlers(village),
    ...messageHandlers(village),
    ...responseHandlers(village),
    ...continuationHandlers(village),
  };
}
