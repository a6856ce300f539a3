import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AgentConfig } from '@hamlet/contract';
import type { CallLog } from '../hands/hands-tool.ts';
import type { Refusals } from '../hands/refusals.ts';
import type { EnvironmentOf } from '../hands/start-process.ts';
import type { Repository } from '../hands/repository/work-trees.ts';
import type { MemoryFiles } from '../memory/files/memory-files.ts';
import type { Log } from '../process/json-log.ts';
import { startHandsProcess } from '../hands/hands-process.ts';
import { McpFault } from './mcp-fault.ts';
import { createMcpServer, type Dial, type Dialled, type McpServer } from './mcp-server.ts';
import { createMemoryServers, MEMORY_SERVER } from './memory-servers.ts';
import { liveTools, type ToolList } from './live-tools.ts';
import type { NoteState, ServedTools } from './mcp-tools.ts';
import { mcpProgram, processTransport } from './process-transport.ts';
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

/** Connects to the Agent's MCP servers, and returns their tools, which may change. A failed server only lacks its own tools. */
export async function openMcpServers(ports: McpPorts): Promise<ToolList> {
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
  return liveTools(served, ports);
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
  const dial =
    url === null ? () => overStreams(ports, { name, argv }) : overHttp(url, environmentOf({ run: 'mcp', call: name }));
  const server = createMcpServer(name, dial);
  return { server, close: () => server.close() };
}

/** Servers of the first protocol over HTTP have a stream of events of their own. */
export function overHttp(address: string, environment: Readonly<Record<string, string>>): Dial {
  const [url, fetch] = [new URL(address), webFetch(environment)];
  const dial = (): Dialled => ({ transport: new StreamableHTTPClientTransport(url, { fetch }), trouble: () => '' });
  const older = (): Dialled => ({ transport: new SSEClientTransport(url, { fetch }), trouble: () => '' });
  return Object.assign(dial, { older });
}

function overStreams(
  { socket, workspace: cwd, environmentOf }: Pick<McpPorts, 'socket' | 'workspace' | 'environmentOf'>,
  program: { readonly name: string; readonly argv: readonly string[] },
): Dialled {
  return processTransport(async () => {
    if (socket === undefined) throw new McpFault('mcp_unreachable', 'the pod has no hands: set spec.hands.enabled');
    return startHandsProcess({ socket, cwd, environmentOf }, mcpProgram(program.name, program.argv));
  });
}
