import { createHash } from 'node:crypto';
import type { CallContext, ToolOutcome } from '@hamlet/engine';
import { withHands } from '../hands/hands-client.ts';
import type { EnvironmentOf } from '../hands/start-process.ts';
import type { Exchanged } from '../memory/files/exchange-file.ts';
import { MEMORY_FILE_VARIABLE, notKept, type MemoryFiles } from '../memory/files/memory-files.ts';
import type { McpServer } from './mcp-server.ts';
import type { ServedTools } from './mcp-tools.ts';

/** The server of this name has one file for each repository and its people. */
export const MEMORY_SERVER = 'memory';

/** Maximum number of idle repository servers. Each is a process in the hands. */
const IDLE_MAX = 2;
const HASH_DIGITS = 8;

interface Ports {
  readonly socket: string;
  readonly memories: MemoryFiles;
  readonly repositoryOf: (run: string) => object | null;
  readonly environmentOf: EnvironmentOf;
  readonly open: (name: string, environmentOf: EnvironmentOf) => McpServer;
}

interface Opened {
  readonly server: McpServer;
  calls: number;
}

/** The server `memory`: one process for each file. Each call loads the memory before, and stores it after. */
export interface MemoryServers {
  /** The server of runs without a repository; it also lists the tools. */
  readonly own: McpServer;
  readonly within: NonNullable<ServedTools['within']>;
  close(): Promise<void>;
}

export function createMemoryServers({ socket, memories, repositoryOf, environmentOf, open }: Ports): MemoryServers {
  const opened = new Map<string, Opened>();
  const withFile =
    (path: string): EnvironmentOf =>
    (place) => ({ ...environmentOf(place), [MEMORY_FILE_VARIABLE]: path });
  const own = open(MEMORY_SERVER, withFile(memories.pathOf(null)));
  const serverOf = (run: string): Opened => {
    const path = memories.pathOf(run);
    const name = `${MEMORY_SERVER}.${createHash('sha256').update(path).digest('hex').slice(0, HASH_DIGITS)}`;
    const known = opened.get(path) ?? { server: open(name, withFile(path)), calls: 0 };
    opened.delete(path);
    opened.set(path, known);
    return known;
  };
  const closeIdle = async (): Promise<void> => {
    const idle = [...opened].filter(([, { calls }]) => calls === 0);
    for (const [path, { server }] of idle.slice(0, Math.max(0, idle.length - IDLE_MAX))) {
      opened.delete(path);
      await server.close();
    }
  };
  return {
    own,
    within: async (context, call) => {
      if (repositoryOf(context.run) === null)
        return memories.alone(context.run, () => exchanged({ socket, memories }, context, () => call(own)));
      const used = serverOf(context.run);
      used.calls += 1;
      try {
        return await memories.alone(context.run, () =>
          exchanged({ socket, memories }, context, () => call(used.server)),
        );
      } finally {
        used.calls -= 1;
        await closeIdle();
      }
    },
    close: async () => {
      await Promise.all([own, ...[...opened.values()].map(({ server }) => server)].map((server) => server.close()));
    },
  };
}

/** A call between two exchanges: it sees the changes of others, and the API stores its own before the model reads the result. */
const exchanged = (
  { socket, memories }: Pick<Ports, 'socket' | 'memories'>,
  { run, signal }: Pick<CallContext, 'run' | 'signal'>,
  call: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> =>
  withHands(socket, async (hands) => {
    const before = await memories.exchange(hands, run, { read: 'all', called: false, signal });
    if (before.kind !== 'done') return { kind: 'failed', code: 'memory_unavailable', text: whyNot(before) };
    const outcome = await call();
    const after = await memories.exchange(hands, run, { read: 'all', called: true, signal });
    if (outcome.kind !== 'ok') return outcome;
    if (after.kind !== 'done') return { kind: 'failed', code: 'memory_not_kept', text: whyNot(after) };
    return after.refused.length === 0 ? outcome : { ...outcome, text: `${outcome.text}\n${notKept(after.refused)}` };
  });

const whyNot = (end: Exclude<Exchanged, { kind: 'done' }>): string =>
  end.kind === 'refused'
    ? `The village did not keep the memory: ${end.detail}`
    : 'Programs change the memory file. Try again.';
