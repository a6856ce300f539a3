import * as z from 'zod';
import { TOOL_CLASSES } from './tool-classes.ts';
import { guarded } from './guarded.ts';
import { Duration, matching, text } from './text.ts';

const MAX_SERVERS = 8;
const MAX_SERVER_NAME_CHARS = 24;
const MAX_URL_CHARS = 2_048;
const MAX_WORDS = 32;
const MAX_WORD_CHARS = 1_024;
const MAX_TOOLS = 64;
const MAX_TOOL_CHARS = 64;

const McpServer = guarded(
  z.strictObject({
    name: matching(
      '^[a-z][a-z0-9-]*$',
      MAX_SERVER_NAME_CHARS,
      "write a name of at most 24 lower case letters, digits and '-', for example files",
    ).describe('Name of the server: its tools are named mcp__NAME__TOOL.'),
    url: matching('^https?://[^ ]+$', MAX_URL_CHARS, 'write an address, for example https://example.org/mcp')
      .optional()
      .describe('Address of a server over streamable HTTP. It needs a rule of egress.'),
    command: z
      .array(text(MAX_WORD_CHARS, 1))
      .min(1)
      .max(MAX_WORDS)
      .optional()
      .describe('Program in the hands that speaks MCP on its standard streams, with its arguments.'),
    class: z
      .enum(TOOL_CLASSES)
      .optional()
      .describe('Class of its tools for rules; without it, a person is asked before each call.'),
    tools: z
      .array(matching('^[A-Za-z0-9_-]+$', MAX_TOOL_CHARS, 'write the name of a tool as its server writes it'))
      .max(MAX_TOOLS)
      .optional()
      .describe('Its tools that the agent has; all (at most 64) if absent.'),
    callTimeout: Duration.optional().describe('Time for one call; 60s if absent.'),
  }),
  [
    {
      holds: (value) => (value.url === undefined) !== (value.command === undefined),
      rule: 'has(self.url) != has(self.command)',
      message: 'write exactly one of url and command',
    },
  ],
);

export const McpServers = guarded(z.array(McpServer).max(MAX_SERVERS), [
  {
    holds: (value) => new Set(value.map(({ name }) => name)).size === value.length,
    rule: 'self.all(server, self.exists_one(other, other.name == server.name))',
    message: 'give each server a name of its own',
  },
]);
