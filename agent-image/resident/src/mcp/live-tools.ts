import { backoff } from '@hamlet/core/backoff';
import type { Tool } from '@hamlet/engine';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerState } from '../capabilities/server-states.ts';
import type { Log } from '../process/json-log.ts';
import { listedTools, type Listed, type NoteState, type ServedTools } from './mcp-tools.ts';

/** Returns the present tools of an agent: a new array after each change. */
export type ToolList = () => readonly Tool[];

interface LivePorts {
  readonly log: Pick<Log, 'warn'>;
  readonly noteState: NoteState;
  readonly stop: AbortSignal;
  /** Wait in ms for the first lists of all servers; slower ones follow later. */
  readonly firstMs?: number;
  readonly retry?: { readonly first: number; readonly longest: number };
}

const FIRST_MS = 20_000;
const RETRY_MS = { first: 5_000, longest: 300_000 };
/** The first changes in a row are read at once, later ones after growing pauses. A rest resets the count. */
const QUICK_CHANGES = 5;
const CHANGE_MS = { first: 100, longest: 60_000 };
const REST_MS = 120_000;

/**
 * The tools of all servers. A server that does not start yet is tried again with growing pauses, and its tools appear when it
 * answers. A list that the server changes is read again, and so is that of a server that has started again.
 */
export async function liveTools(served: readonly ServedTools[], ports: LivePorts): Promise<ToolList> {
  const lists = new Map<string, readonly Tool[]>(served.map(({ server }) => [server.name, []]));
  const starting = new Set(lists.keys());
  let current: readonly Tool[] = [];
  const follow = async (each: ServedTools): Promise<void> => {
    const put = (tools: readonly Tool[]): void => {
      lists.set(each.server.name, tools);
      current = [...lists.values()].flat();
    };
    await followServer(each, ports, put);
    starting.delete(each.server.name);
  };
  const over = new AbortController();
  const late = delay(ports.firstMs ?? FIRST_MS, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([Promise.all(served.map(follow)), late]);
  over.abort();
  for (const server of starting)
    ports.noteState(server, { ok: false, code: 'mcp_starting', message: 'it is starting; its tools follow' });
  return () => current;
}

/** Keeps the tools of one server up to date until the process ends. Resolves after the first attempt. */
async function followServer(
  served: ServedTools,
  ports: LivePorts,
  put: (tools: readonly Tool[]) => void,
): Promise<void> {
  const { server } = served;
  let logged: string | null = null;
  const read = async (): Promise<boolean> => {
    const listed = await listedTools(served);
    const warning = warningOf(server.name, listed);
    // A server that does not start for a day causes only one line in the log.
    if (warning !== null && warning.message !== logged) ports.log.warn('capability', warning);
    logged = warning?.message ?? null;
    ports.noteState(server.name, stateOf(listed));
    if (listed.ok) put(listed.tools);
    return listed.ok;
  };
  /** Changes while the list is read lead to one more reading. */
  let isStale = true;
  let reading: Promise<void> | null = null;
  let [changes, readMs] = [0, -Infinity];
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal: ports.stop, ref: false }).catch(() => {});
  const readAll = async (first: () => void): Promise<void> => {
    for (let failures = 0; isStale && !ports.stop.aborted;) {
      changes = performance.now() - readMs < REST_MS ? changes + 1 : 0;
      if (changes > QUICK_CHANGES) await pause(backoff(changes - QUICK_CHANGES, CHANGE_MS));
      isStale = false;
      const isRead = await read();
      first();
      if (isRead) {
        readMs = performance.now();
        continue;
      }
      isStale = true;
      failures += 1;
      await pause(backoff(failures, ports.retry ?? RETRY_MS));
    }
  };
  const { promise: first, resolve, reject } = Promise.withResolvers<void>();
  const update = (): void => {
    isStale = true;
    reading ??= readAll(resolve)
      .catch(reject)
      .finally(() => {
        reading = null;
        if (isStale && !ports.stop.aborted) update();
      });
  };
  server.onChange(update);
  update();
  return first;
}

function stateOf(listed: Listed): ServerState {
  if (listed.ok) return { ok: true, tools: listed.tools.length, leftOut: listed.leftOut };
  const { code, message } = listed.fault;
  return { ok: false, code, message };
}

/** A line for the log; null if all is well. */
function warningOf(server: string, listed: Listed): { readonly code: string; readonly message: string } | null {
  if (!listed.ok) return { code: listed.fault.code, message: listed.fault.message };
  if (listed.leftOut.length === 0) return null;
  const message = `The MCP server ${server} has unusable tools, which are left out: ${listed.leftOut.join('; ')}`;
  return { code: 'mcp_tool_left_out', message };
}
