import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { GIVEN_FILES_BODY_MAX_BYTES } from '../../values/given-file.ts';

const METHOD_MAX_CHARS = 128;
export const A2A_PAGE_MAX = 50;

/** One JSON-RPC message of the Agent2Agent protocol. Batches are refused, so that each message counts as a request. */
const A2aMessage = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(METHOD_MAX_CHARS), z.int(), z.null()]).optional(),
  method: z.string().min(1).max(METHOD_MAX_CHARS).meta({ example: 'SendMessage' }),
});

const A2aResponse = z.looseObject({ jsonrpc: z.literal('2.0'), id: z.union([z.string(), z.int(), z.null()]) });
const Card = json(z.looseObject({ name: z.string() }).describe('An AgentCard of A2A 1.0, or of 0.3 for older callers'));

const reading = { tag: 'service', permission: 'world:read', placement: 'absolute', audiences: ['people'] } as const;

export const getVillageCard = defineRoute('getVillageCard GET /.well-known/agent-card.json', {
  ...reading,
  summary: 'The A2A card of the only agent that other systems may call; with several agents, the refusal names theirs',
  answer: Card,
  reasons: ['no_such_agent'],
});

export const getAgentCard = defineRoute('getAgentCard GET /a2a/{agent_id}/.well-known/agent-card.json', {
  ...reading,
  summary: 'The A2A card of an agent that other systems may call',
  answer: Card,
  reasons: ['no_such_agent'],
});

export const callA2a = defineRoute('callA2a POST /a2a/{agent_id}', {
  summary:
    'An agent as A2A server (JSON-RPC, versions 1.0 and 0.3): messages become runs of a session, tasks are these runs',
  tag: 'service',
  permission: 'sessions:write',
  placement: 'absolute',
  audiences: ['people'],
  idempotency: 'natural',
  body: A2aMessage,
  bodyMaxBytes: GIVEN_FILES_BODY_MAX_BYTES,
  answer: { kind: 'completion', wire: 'a2a', schema: A2aResponse, chunk: A2aResponse },
  reasons: ['no_such_agent'],
});
