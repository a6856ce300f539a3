import type { Tool, Transport } from '@modelcontextprotocol/client';
import { Client, METHOD_NOT_FOUND, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { answerOf, type McpAnswer } from './mcp-answer.ts';
import { faultOf, McpFault, whyOf } from './mcp-fault.ts';
import { isProgram } from './process-transport.ts';
import { createSafeValidator, type JsonObject } from './safe-validator.ts';

/** A first start may download the program (`npx`, `uvx`). */
const CONNECT_PROGRAM_MS = 240_000;
const CONNECT_HTTP_MS = 30_000;
/** Timeout of the question about the protocol generation; a program that does not answer it is treated as an older one. */
const PROBE_MS = 3_000;
/** A call that must connect first waits at most this long. */
export const CALL_CONNECT_MS = 60_000;
const LIST_MS = 30_000;
const PAGES_MAX = 100;
const TOOLS_LISTED_MAX = 1_000;

/** Loose, because one wrong tool or content must not lose the others. */
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
const AnyResult = z.looseObject({});

export interface McpCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** The listed tool without `outputSchema`, by which the client would refuse results. */
  readonly definition: JsonObject;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface McpServer {
  readonly name: string;
  /** All tools as the server lists them, unchecked. Rejects with `McpFault`. */
  tools(): Promise<readonly unknown[]>;
  /** Rejects with `McpFault`. */
  call(call: McpCall): Promise<McpAnswer>;
  /** Called when the tools may have changed: the server says so, or it has been connected again. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

/** A connection that is not open yet; `trouble` is what is known about its end. */
export interface Dialled {
  readonly transport: Transport;
  trouble(): string;
  /** True if the program of the connection has ended. */
  hasEnded?(): boolean;
  /** True if the next call should open another connection. */
  isWorn?(): boolean;
}

/** Opens connections to one server. `older` makes one for servers of the first protocol over HTTP. */
export interface Dial {
  (): Dialled;
  readonly older?: () => Dialled;
}

interface Connected extends Dialled {
  readonly client: Client;
  /** True if the server needs the older handshake. */
  readonly isOlder: boolean;
}

export function createMcpServer(name: string, dial: Dial): McpServer {
  const link = createLink(name, dial);
  /** A server refuses the calls of a session that it has forgotten, so nothing was done. */
  const again = async <T>(of: () => Promise<T>): Promise<T> => {
    try {
      return await of();
    } catch (error) {
      if (error instanceof McpFault && error.isSessionLost) return of();
      throw error;
    }
  };
  return {
    name,
    tools: () => again(() => link.use(({ client }) => listTools(client).catch(noTools))),
    call: async (call) => {
      await withinTime(name, link.ready(), call);
      return again(() => link.use((connected) => callTool(name, connected, call)));
    },
    onChange: (listener) => link.onChange(listener),
    close: () => link.close(),
  };
}

interface Link {
  /** Resolves when the server is connected. */
  ready(): Promise<unknown>;
  /** Uses the connection. A lost one is opened again for the next use. Rejects with `McpFault`. */
  use<T>(of: (connected: Connected) => Promise<T>): Promise<T>;
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

/** A connection that is open or being opened. Mutable, because uses come and go. */
class Opened {
  readonly connected: Promise<Connected>;
  uses = 0;

  constructor(connected: Promise<Connected>) {
    this.connected = connected;
  }

  async end(): Promise<void> {
    await this.connected.then(({ client }) => client.close()).catch(() => {});
  }
}

/** The present connection of a server. Mutable, because connections end. */
function createLink(name: string, dial: Dial): Link {
  let current: Opened | null = null;
  let isOlder = false;
  let connections = 0;
  const listeners: (() => void)[] = [];
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const drop = (opened: Opened): void => {
    if (current === opened) current = null;
  };
  const connected = async (onClose: () => void): Promise<Connected> => {
    const made = await connect(name, dial, { isOlder, onClose, onChange: changed });
    ({ isOlder } = made);
    connections += 1;
    if (connections > 1) changed();
    return made;
  };
  const open = (): Opened => {
    if (current !== null) return current;
    const opened: Opened = new Opened(connected(() => drop(opened)));
    current = opened;
    opened.connected.catch(() => drop(opened));
    return opened;
  };
  const fresh = async (): Promise<Opened> => {
    const opened = open();
    const isWorn = (await opened.connected).isWorn?.() === true && opened.uses === 0;
    if (!isWorn) return opened;
    drop(opened);
    await opened.end();
    return open();
  };
  return {
    ready: async () => (await fresh()).connected,
    use: async (of) => {
      const opened = await fresh();
      const made = await opened.connected;
      opened.uses += 1;
      try {
        return await of(made);
      } catch (error) {
        const fault = faultOf(name, error, made.trouble());
        if (fault.isConnectionLost) {
          drop(opened);
          void opened.end();
        }
        throw fault;
      } finally {
        opened.uses -= 1;
      }
    },
    onChange: (listener) => void listeners.push(listener),
    close: async () => {
      const open = current;
      current = null;
      await open?.end();
    },
  };
}

interface Connecting {
  readonly isOlder: boolean;
  readonly onClose: () => void;
  readonly onChange: () => void;
}

/** Opens a connection, with the older handshake if the first request ends the program or the HTTP server refuses that request. */
async function connect(name: string, dial: Dial, connecting: Connecting): Promise<Connected> {
  const { isOlder } = connecting;
  const first = isOlder ? (dial.older ?? dial)() : dial();
  try {
    return await handshake(first, connecting);
  } catch (error) {
    if (isOlder || !mayBeOlder(first, error)) throw unreachable(name, error, first);
  }
  const second = (dial.older ?? dial)();
  try {
    return await handshake(second, { ...connecting, isOlder: true });
  } catch (error) {
    throw unreachable(name, error, second);
  }
}

/** Answers of HTTP servers that do not know the first message of the present protocol. */
const NOT_KNOWN: ReadonlySet<number | undefined> = new Set([400, 404, 405, 406, 415, 501]);

const mayBeOlder = ({ hasEnded }: Dialled, error: unknown): boolean =>
  hasEnded === undefined ? error instanceof SdkHttpError && NOT_KNOWN.has(error.status) : hasEnded();

const unreachable = (name: string, error: unknown, { trouble }: Dialled): McpFault =>
  new McpFault('mcp_unreachable', `The MCP server ${name} does not start: ${whyOf(error, trouble())}`);

async function handshake(dialled: Dialled, { isOlder, onClose, onChange }: Connecting): Promise<Connected> {
  const isOfProgram = isProgram(dialled.transport);
  const timeout = isOfProgram ? CONNECT_PROGRAM_MS : CONNECT_HTTP_MS;
  // An HTTP server that does not know the question refuses it, so silence means that the server is slow.
  const probe = { timeoutMs: isOfProgram ? PROBE_MS : CONNECT_HTTP_MS };
  const client = new Client(
    { name: 'hamlet-resident', version: '1.0.0' },
    {
      jsonSchemaValidator: createSafeValidator(),
      versionNegotiation: isOlder ? { mode: 'legacy' } : { mode: 'auto', probe },
      listChanged: { tools: { autoRefresh: false, onChanged: onChange } },
    },
  );
  client.onclose = onClose;
  try {
    await client.connect(dialled.transport, { timeout });
  } catch (error) {
    await dialled.transport.close().catch(() => {});
    throw error;
  }
  // Some servers announce changes without having promised it.
  client.setNotificationHandler('notifications/tools/list_changed', onChange);
  return { ...dialled, client, isOlder };
}

async function listTools(client: Client): Promise<readonly unknown[]> {
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX && tools.length < TOOLS_LISTED_MAX; pages += 1) {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const page = await client.request({ method: 'tools/list', ...params }, Page, { timeout: LIST_MS });
    tools.push(...page.tools);
    cursor = page.nextCursor ?? '';
    if (cursor === '' || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return tools;
}

/** A server with only resources or prompts does not know the question. */
function noTools(error: unknown): readonly unknown[] {
  if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND) return [];
  throw error;
}

async function callTool(name: string, { client }: Connected, call: McpCall): Promise<McpAnswer> {
  const { tool, args, definition, timeoutMs: timeout, signal } = call;
  const options = { timeout, maxTotalTimeout: timeout, signal };
  const params = { name: tool, arguments: args };
  const answer = answerOf(
    client.getProtocolEra() === 'modern'
      ? await client.callTool(params, { ...options, toolDefinition: definition as unknown as Tool })
      : await client.request({ method: 'tools/call', params }, AnyResult, options),
  );
  if (answer !== null) return answer;
  throw new McpFault(
    'mcp_broken_answer',
    `The answer of the MCP server ${name} violates the protocol: it is not a result`,
  );
}

/** Waits for a connection. One that takes longer is still opened in the background. */
async function withinTime(name: string, ready: Promise<unknown>, { timeoutMs, signal }: McpCall): Promise<void> {
  const over = new AbortController();
  const late = delay(Math.min(timeoutMs, CALL_CONNECT_MS), undefined, {
    signal: AbortSignal.any([signal, over.signal]),
  }).catch(() => {});
  const isReady = await Promise.race([ready.then(() => true), late.then(() => false)]);
  over.abort();
  ready.catch(() => {});
  if (!isReady) throw new McpFault('mcp_unreachable', `The MCP server ${name} is still starting. Try again later.`);
}
