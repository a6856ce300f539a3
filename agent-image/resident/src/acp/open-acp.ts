import { join } from 'node:path';
import type { AgentConfig } from '@hamlet/contract';
import type { AgentRuntime } from '@hamlet/engine';
import type { RunBook } from '../engine/run-book.ts';
import type { HandsClient } from '../hands/hands-client.ts';
import type { Environment } from '../process/environment.ts';
import type { Log } from '../process/json-log.ts';
import { onceItSucceeds } from '../process/once-it-succeeds.ts';
import type { HandsPlace } from '../tools-of.ts';
import type { RetryPorts } from '../village/retry.ts';
import type { WorkVillage } from '../village/work-village.ts';
import type { AcpPorts } from './conversation-program.ts';

const SESSIONS_FILE = 'program-sessions.json';

export interface AcpParts extends RetryPorts {
  readonly env: Environment;
  readonly place: HandsPlace;
  readonly book: RunBook;
  readonly work: WorkVillage;
  readonly config: Pick<AgentConfig, 'mcp_servers'>;
  readonly log: Log;
}

/** The runtime `acp` of a resident. Its code is loaded only for an Agent that names it. */
export function acpRuntimes(parts: AcpParts): () => AgentRuntime {
  const loaded = onceItSucceeds(() => load(parts));
  return () => {
    let made: AgentRuntime | null = null;
    return {
      initialize: async (config, host) => {
        made = (await loaded())();
        await made.initialize(config, host);
      },
      execute: async (input, context) => {
        if (made === null) throw new Error('initialize the runtime first');
        return made.execute(input, context);
      },
      terminate: async () => made?.terminate(),
      program: () => made?.program?.() ?? null,
    };
  };
}

async function load({ env, place, book, work, config, log, rest, random }: AcpParts): Promise<() => AgentRuntime> {
  const { createAcpRuntime } = await import('./acp-runtime.ts');
  const { endLeftMinds } = await import('./conversation-program.ts');
  const { IdlePrograms } = await import('./idle-programs.ts');
  const { openSessionBook } = await import('./session-book.ts');
  const { apiCallLog } = await import('../hands/api-call-log.ts');
  let swept: Promise<void> | null = null;
  const sweep = (hands: HandsClient): Promise<void> => {
    swept ??= endLeftMinds(hands).catch((error: unknown) => {
      swept = null;
      throw error;
    });
    return swept;
  };
  const ports: AcpPorts = {
    rest,
    random,
    ...place,
    socket: env.HAMLET_HANDS_SOCKET,
    home: env.HAMLET_HANDS_HOME,
    book,
    work,
    callsWith: (mirrored) => apiCallLog({ work, book, mirrored, rest, random }),
    sessions: openSessionBook(join(env.HAMLET_STATE_DIR, SESSIONS_FILE), log),
    mcpServers: config.mcp_servers,
    presets: async () => {
      const { PRESETS } = await import('./presets/programs.ts');
      return PRESETS;
    },
    log,
    idle: new IdlePrograms(),
    sweep,
  };
  return () => createAcpRuntime(ports);
}
