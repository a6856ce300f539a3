import type { AgentBooks, Client, ScheduleActivity } from '@hamlet/contract';
import { listAgentBooks, listScheduleBooks, ProblemError } from '@hamlet/contract/operator';

const PAGE = 200;
const TIMEOUT_MS = 10_000;
const MAX_PAGES = 500;

export interface Books {
  agents(signal: AbortSignal): AsyncIterable<readonly AgentBooks[]>;
  schedules(signal: AbortSignal): AsyncIterable<readonly ScheduleActivity[]>;
}

interface Page<T> {
  readonly entries: readonly T[];
  readonly next: string | null;
}

async function* pages<T>(read: (after: string | undefined) => Promise<Page<T>>): AsyncGenerator<readonly T[]> {
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { entries, next } = await read(after);
    yield entries;
    if (next === null) return;
    after = next;
  }
  throw new Error(`the api's books have more than ${MAX_PAGES} pages`);
}

/** Reads the records through the api. Throws ProblemError if the api refuses. */
export function booksThrough(client: Client): Books {
  const query = (after: string | undefined): { readonly limit: number; readonly after?: string } => ({
    limit: PAGE,
    ...(after === undefined ? {} : { after }),
  });
  const withTimeout = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return {
    agents: (signal) =>
      pages(async (after) => {
        const outcome = await client.call(listAgentBooks, { query: query(after), signal: withTimeout(signal) });
        if (!outcome.ok) throw new ProblemError(outcome.problem);
        return { entries: outcome.data.agents, next: outcome.data.next };
      }),
    schedules: (signal) =>
      pages(async (after) => {
        const outcome = await client.call(listScheduleBooks, { query: query(after), signal: withTimeout(signal) });
        if (!outcome.ok) throw new ProblemError(outcome.problem);
        return { entries: outcome.data.schedules, next: outcome.data.next };
      }),
  };
}
