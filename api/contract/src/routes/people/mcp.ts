import { z } from 'zod';
import { defineRoute } from '../../http/route.ts';

const METHOD_MAX_CHARS = 128;

/** One JSON-RPC message of the Model Context Protocol. Batches are refused, so that each message counts as a request. */
const McpMessage = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(METHOD_MAX_CHARS), z.int()]).optional(),
  method: z.string().min(1).max(METHOD_MAX_CHARS).meta({ example: 'tools/list' }),
});

export const callMcp = defineRoute('callMcp POST /mcp', {
  summary:
    "The village as MCP server (streamable HTTP without sessions): tools by which a person's assistant lists agents, reads and writes the board, and creates and reads runs",
  tag: 'service',
  permission: 'mcp:use',
  placement: 'absolute',
  audiences: ['people'],
  idempotency: 'natural',
  body: McpMessage,
  answer: { kind: 'text', contentType: 'application/json' },
  protocolStatuses: [202, 400, 404, 406, 415],
});
