import { headAt } from '../chat/completion-shape.ts';
import { converse } from '../conversations/converse.ts';
import type { Handlers } from '../../http/handler.ts';
import { refused } from '../../http/outcome.ts';
import type { Village } from '../../village.ts';
import { chatBodyOfResponse, refusalOfResponse } from './chat-body-of-response.ts';
import { responseShape } from './response-shape.ts';

/** The handler of OpenAI's format Responses. It translates a request to Chat Completions, and then shares its code. */
export function responseHandlers({ source, gateway }: Village) {
  const createResponse: Handlers['createResponse'] = {
    kind: 'completion',
    run: async ({ actor: agent, body, headers, traceparent, now }, channel) => {
      if (source.get(agent.agentId) === null) return refused('no_such_agent');
      const refusal = refusalOfResponse(body);
      if (refusal !== null) return refusal;
      const head = headAt(gateway.catalog, now);
      const asked = { agent, body: chatBodyOfResponse(body), headers, traceparent };
      return converse(gateway, { ...asked, shapeOf: (ticket) => responseShape(ticket, body, head) }, channel);
    },
  };
  return { createResponse } satisfies Partial<Handlers>;
}
