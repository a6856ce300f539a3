import type { AgentBooks, Client, ScheduleActivity } from '@hamlet/contract';
import { dataOf, listAgentBooks, listScheduleBooks } from '@hamlet/contract/operator';

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

export function booksThrough(client: Client): Books {
  const query = (after: string | undefined): { readonly limit: number; readonly after?: string } => ({
    limit: PAGE,
    ...(after === undefined ? {} : { after }),
  });
  const withTimeout = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return {
    agents: (signal) =>
      pages(async (after) => {
        const input = { query: query(after), signal: withTimeout(signal) };
        const { agents, next } = await dataOf(client.call(listAgentBooks, input));
        return { entries: agents, next };
      }),
    schedules: (signal) =>
      pages(async (after) => {
        const input = { query: query(after), signal: withTimeout(signal) };
        const { schedules, next } = await dataOf(client.call(listScheduleBooks, input));
        return { entries: schedules, next };
      }),
  };
}
