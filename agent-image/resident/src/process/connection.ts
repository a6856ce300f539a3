import { readFileSync } from 'node:fs';
import { createClient, exchangeAgentToken, ProblemError } from '@hamlet/contract/resident';
import type { Environment } from './environment.ts';
import { exchangedToken, fixedToken, type TokenSource } from '../village/agent-token.ts';
import { createHttpVillage, type Village } from '../village/village.ts';
import { createHttpWork, type WorkVillage } from '../village/work-village.ts';

export interface ConnectionPorts {
  readonly now: () => number;
  readonly stop: AbortSignal;
  /** Aborts later than `stop`, so that a write in flight can finish. */
  readonly stopWriting: AbortSignal;
  /** Aborts even later, so that runs of an engine can finish their calls. */
  readonly stopWork: AbortSignal;
}

export interface Connection {
  readonly village: Village;
  /** Like `village`, for work that may still finish after the signal to end. */
  readonly lastVillage: Village;
  readonly work: WorkVillage;
  readonly tokens: TokenSource;
}

export function connect(env: Environment, { now, stop, stopWriting, stopWork }: ConnectionPorts): Connection {
  const tokens = tokenSource(env, now);
  const client = createClient({ baseUrl: env.HAMLET_API_URL, token: () => tokens.get() });
  const shared = { client, tokens, agentId: env.HAMLET_AGENT_ID };
  const late = { ...shared, stopReading: stopWork, stopWriting: stopWork };
  return {
    village: createHttpVillage({ ...shared, stopReading: stop, stopWriting }),
    lastVillage: createHttpVillage(late),
    work: createHttpWork(late),
    tokens,
  };
}

function tokenSource(
  { HAMLET_AGENT_TOKEN, HAMLET_TOKEN_FILE = '', HAMLET_API_URL }: Environment,
  now: () => number,
): TokenSource {
  if (HAMLET_AGENT_TOKEN !== undefined) return fixedToken(HAMLET_AGENT_TOKEN);
  // The kubelet replaces the file before the token expires, so each exchange reads it again.
  const client = createClient({ baseUrl: HAMLET_API_URL, token: () => readFileSync(HAMLET_TOKEN_FILE, 'utf8').trim() });
  return exchangedToken(async () => {
    const outcome = await client.call(exchangeAgentToken, {});
    if (!outcome.ok) throw new ProblemError(outcome.problem);
    return outcome.data;
  }, now);
}
