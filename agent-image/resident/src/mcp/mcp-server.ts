import type { CallToolResult, Transport } from '@modelcontextprotocol/client';
import { Client, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { McpFault, quoted } from './mcp-fault.ts';
import { isProgram } from './process-transport.ts';
import { createSafeValidator, type JsonObject } from './safe-validator.ts';

const CONNECT_MS = 15_000;
/** Timeout of the question about the protocol generation; a program that does not answer it is treated as an older one. */
const PROBE_MS = 3_000;
const LIST_MS = 15_000;
const PAGES_MAX = 8;
/** Maximum length of one answer; a note replaces the rest. */
const TEXT_MAX_CHARS = 262_144;

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
}

export interface McpCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface McpAnswer {
  readonly isError: boolean;
  readonly text: string;
}

export interface McpServer {
  readonly name: string;
  tools(): Promise<readonly OfferedTool[]>;
  call(call: McpCall): Promise<McpAnswer>;
  close(): Promise<void>;
}

/** A connection that is not open yet; `trouble` is what is known about its end. */
export interface Dialled {
  readonly transport: Transport;
  trouble(): string;
}

interface Connected extends Dialled {
  readonly client: Client;
}

export function createMcpServer(name: string, dial: () => Dialled): McpServer {
  let current: Promise<Connected> | null = null;
  const connected = (): Promise<Connected> => {
    if (current !== null) return current;
    const opening = connect(name, dial(), () => {
      if (current === opening) current = null;
    });
    current = opening;
    opening.catch(() => {
      if (current === opening) current = null;
    });
    return opening;
  };
  return {
    name,
    tools: async () => {
      const { client, trouble } = await connected();
      try {
        const { tools } = await client.listTools(undefined, { timeout: LIST_MS, maxTotalTimeout: LIST_MS });
        return tools.map(({ name: tool, description = '', inputSchema }) => ({
          name: tool,
          description,
          input: inputSchema,
        }));
      } catch (error) {
        throw faultOf(name, error, trouble());
      }
    },
    call: async ({ tool, args, timeoutMs: timeout, signal }) => {
      const { client, trouble } = await connected();
      const options = { timeout, maxTotalTimeout: timeout, signal };
      try {
        return answerOf(await client.callTool({ name: tool, arguments: args }, options));
      } catch (error) {
        throw faultOf(name, error, trouble());
      }
    },
    close: async () => {
      const open = current;
      current = null;
      await open?.then(({ client }) => client.close()).catch(() => {});
    },
  };
}

async function connect(name: string, dialled: Dialled, onClose: () => void): Promise<Connected> {
  // An HTTP server that does not know the question refuses it, so silence means that the server is slow.
  const timeoutMs = isProgram(dialled.transport) ? PROBE_MS : CONNECT_MS;
  const client = new Client(
    { name: 'hamlet-resident', version: '1.0.0' },
    {
      jsonSchemaValidator: createSafeValidator(),
      listMaxPages: PAGES_MAX,
      versionNegotiation: { mode: 'auto', probe: { timeoutMs } },
    },
  );
  client.onclose = onClose;
  try {
    await client.connect(dialled.transport, { timeout: CONNECT_MS });
    return { ...dialled, client };
  } catch (error) {
    await dialled.transport.close().catch(() => {});
    throw new McpFault('mcp_unreachable', `The MCP server ${name} does not start: ${whyOf(error, dialled.trouble())}`);
  }
}

const whyOf = (error: unknown, trouble: string): string => {
  const words = quoted(error instanceof Error ? error.message : String(error));
  return trouble === '' ? words : `${words} (${trouble})`;
};

/** Converts an error of a connected server to a McpFault. */
function faultOf(name: string, error: unknown, trouble: string): McpFault {
  const why = whyOf(error, trouble);
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout)
      return new McpFault('mcp_timed_out', `The MCP server ${name} does not answer: ${why}`);
    if (error.code === SdkErrorCode.InvalidResult || error.code === SdkErrorCode.UnsupportedResultType)
      return new McpFault('mcp_broken_answer', `The answer of the MCP server ${name} violates the protocol: ${why}`);
    return new McpFault('mcp_died', `The connection to the MCP server ${name} ended: ${why}`);
  }
  if (error instanceof ProtocolError && !/structured content|output schema/i.test(error.message))
    return new McpFault('mcp_refused', `The MCP server ${name} refused: ${why}`);
  return new McpFault('mcp_broken_answer', `The answer of the MCP server ${name} violates its own schema: ${why}`);
}

function answerOf({ content, structuredContent, isError }: CallToolResult): McpAnswer {
  const parts = content.map((part) =>
    part.type === 'text' ? part.text : `[${part.type}, which is not shown to the model]`,
  );
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  const text = parts.join('\n');
  const note = `\n[… ${text.length - TEXT_MAX_CHARS} characters left out …]`;
  return {
    isError: isError === true,
    text: text.length <= TEXT_MAX_CHARS ? text : `${text.slice(0, TEXT_MAX_CHARS)}${note}`,
  };
}
