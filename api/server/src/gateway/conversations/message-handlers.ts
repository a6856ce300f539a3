import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { chatRequestOf } from '../chat/chat-request-of.ts';
import { refusalOfMessages } from '../chat/refused-fields.ts';
import { conversing } from './converse.ts';
import { servedModel } from '../plan-request.ts';
import { chatBodyOf, conversationOf } from './chat-body-of.ts';
import { messageShape } from './message-shape.ts';
import type { Village } from '../../village.ts';

/** Handlers of Anthropic's format. They translate a request to OpenAI's format first, and then share its code. */
export function messageHandlers(village: Village) {
  const { source, gateway } = village;
  const createMessage: Handlers['createMessage'] = conversing(village, {
    refusal: refusalOfMessages,
    bodyOf: chatBodyOf,
    shapeOf: (ticket, _body, head) => messageShape(ticket, head),
  });
  const countMessageTokens: Handlers['countMessageTokens'] = plain(async ({ actor: { agentId }, body }) => {
    if (source.get(agentId) === null) return refused('no_such_agent');
    const allowance = await gateway.limits.of(agentId);
    if (allowance === null) return refused('model_not_in_tier', `${agentId} has no tier now`);
    const served = servedModel(body.model, allowance, { agentId, catalog: gateway.catalog });
    if (!served.ok) return served;
    return accepted({ input_tokens: served.data.countTokens(chatRequestOf(conversationOf(body))) });
  });
  return { createMessage, countMessageTokens } satisfies Partial<Handlers>;
}
