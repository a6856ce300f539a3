import type { Handlers } from '../http/handler.ts';
import type { Village } from '../village.ts';
import { continuationHandlers } from './continuations/continuation-handlers.ts';
import { conversing } from './conversations/converse.ts';
import { messageHandlers } from './conversations/message-handlers.ts';
import { gatewayHandlers } from './gateway-handlers.ts';
import { chatBodyOfResponse, refusalOfResponse } from './responses/chat-body-of-response.ts';
import { responseShape } from './responses/response-shape.ts';

/** The routes of models in all formats. */
export function modelHandlers(village: Village) {
  const createResponse: Handlers['createResponse'] = conversing(village, {
    refusal: refusalOfResponse,
    bodyOf: chatBodyOfResponse,
    shapeOf: responseShape,
  });
  return { ...gatewayHandlers(village), ...messageHandlers(village), createResponse, ...continuationHandlers(village) };
}
