import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AgentConfig } from '@hamlet/contract';
import type { Tool } from '@hamlet/engine';
import type { CallLog } from '../hands/call-log.ts';
import type { EnvironmentOf } from '../hands/start-process.ts';
import type { Log } from '../process/json-log.ts';
import { startHandsProcess } from './hands-process.ts';
import { McpFault } from './mcp-fault.ts';
import { createMcpServer, type Dialled, type McpServer } from './mcp-server.ts';
import { mcpTools, type NoteState } from './mcp-tools.ts';
import { processTransport } from './process-transport.ts';
import { webFetch } from './web-fetch.ts';

type ServerConfig = AgentConfig['mcp_servers'][number];

export interface McpPorts {
  readonly servers: readonly ServerConfig[];
  /** Socket of the hands; without it programs are unreachable. */
  readonly socket: string | undefined;
  /** Folder in which programs start, in the hands. */
  readonly workspace: string;
  readonly environmentOf: EnvironmentOf;
  readonly calls: CallLog;
  readonly log: Pick<Log, 'warn'>;
  readonly noteState: NoteState;
  /** Ends the connections. */
  readonly stop: AbortSignal;
}

/** Connects to the MCP servers of the Agent, and returns their tools. A server that fails costs its own tools alone. */
export async function openMcpServers(ports: McpPorts): Promise<readonly Tool[]> {
  const opened = ports.servers.map((config) => ({ config, server: serverOf(config, ports) }));
  ports.stop.addEventListener('abort', () => void Promise.all(opened.map(({ server }) => server.close())), {
    once: true,
  });
  const served = opened.map(({ config, server }) => ({
    server,
    only: config.tools,
    readsOnly: config.class === 'read',
    timeoutMs: config.call_timeout_ms,
    calls: ports.calls,
  }));
  return mcpTools(served, ports.log, ports.noteState);
}

function serverOf(
  { name, url, command }: ServerConfig,
  { socket, workspace: cwd, environmentOf }: McpPorts,
): McpServer {
  const argv = command ?? [];
  const overStreams = (): Dialled =>
    processTransport(async () => {
      if (socket === undefined) throw new McpFault('mcp_unreachable', 'the pod has no hands: set spec.hands.enabled');
      return startHandsProcess({ socket, cwd, environmentOf }, { name, argv });
    });
  const overHttp = (address: string): Dialled => ({
    transport: new StreamableHTTPClientTransport(new URL(address), {
      fetch: webFetch(environmentOf({ run: 'mcp', call: name })),
    }),
    trouble: () => '',
  });
  return createMcpServer(name, () => (url === null ? overStreams() : overHttp(url)));
}
