import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AgentConfig } from '@hamlet/contract';
import type { Tool } from '@hamlet/engine';
import type { CallLog } from '../hands/hands-tool.ts';
import type { Refusals } from '../hands/refusals.ts';
import type { EnvironmentOf } from '../hands/start-process.ts';
import type { Repository } from '../hands/repository/work-trees.ts';
import type { MemoryFiles } from '../memory/memory-files.ts';
import type { Log } from '../process/json-log.ts';
import { startHandsProcess } from './hands-process.ts';
import { McpFault } from './mcp-fault.ts';
import { createMcpServer, type Dialled, type McpServer } from './mcp-server.ts';
import { createMemoryServers, MEMORY_SERVER } from './memory-servers.ts';
import { mcpTools, type NoteState, type ServedTools } from './mcp-tools.ts';
import { processTransport } from './process-transport.ts';
import { webFetch } from './web-fetch.ts';

type ServerConfig = AgentConfig['mcp_servers'][number];

export interface McpPorts {
  readonly servers: readonly ServerConfig[];
  readonly socket: string | undefined;
  readonly workspace: string;
  readonly environmentOf: EnvironmentOf;
  readonly memories: MemoryFiles;
  readonly repositoryOf: (run: string) => Repository | null;
  readonly calls: CallLog;
  readonly refusals: Pick<Refusals, 'take'>;
  readonly log: Pick<Log, 'warn'>;
  readonly noteState: NoteState;
  readonly stop: AbortSignal;
}

interface Opened extends Pick<ServedTools, 'server' | 'within'> {
  close(): Promise<void>;
}

/** Connects to the Agent's MCP servers, and returns their tools. A failed server only lacks its own tools. */
export async function openMcpServers(ports: McpPorts): Promise<readonly Tool[]> {
  const opened = ports.servers.map((config) => ({ config, ...serverOf(config, ports) }));
  ports.stop.addEventListener('abort', () => void Promise.all(opened.map((each) => each.close())), { once: true });
  const served = opened.map(({ config, server, within }) => ({
    server,
    only: config.tools,
    readsOnly: config.class === 'read',
    timeoutMs: config.call_timeout_ms,
    calls: ports.calls,
    refused: () => ports.refusals.take({ run: 'mcp', call: config.name }),
    ...(within === undefined ? {} : { within }),
  }));
  return mcpTools(served, ports.log, ports.noteState);
}

function serverOf({ name, url, command }: ServerConfig, ports: McpPorts): Opened {
  const { socket, environmentOf } = ports;
  const argv = command ?? [];
  if (url === null && name === MEMORY_SERVER && socket !== undefined) {
    const open = (of: string, own: EnvironmentOf): McpServer =>
      createMcpServer(name, () => overStreams({ ...ports, environmentOf: own }, { name: of, argv }));
    const servers = createMemoryServers({ ...ports, socket, open });
    return { server: servers.own, within: servers.within, close: () => servers.close() };
  }
  const overHttp = (address: string): Dialled => ({
    transport: new StreamableHTTPClientTransport(new URL(address), {
      fetch: webFetch(environmentOf({ run: 'mcp', call: name })),
    }),
    trouble: () => '',
  });
  const server = createMcpServer(name, () => (url === null ? overStreams(ports, { name, argv }) : overHttp(url)));
  return { server, close: () => server.close() };
}

function overStreams(
  { socket, workspace: cwd, environmentOf }: Pick<McpPorts, 'socket' | 'workspace' | 'environmentOf'>,
  program: { readonly name: string; readonly argv: readonly string[] },
): Dialled {
  return processTransport(async () => {
    if (socket === undefined) throw new McpFault('mcp_unreachable', 'the pod has no hands: set spec.hands.enabled');
    return startHandsProcess({ socket, cwd, environmentOf }, program);
  });
}
