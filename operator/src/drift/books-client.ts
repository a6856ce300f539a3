import type { AgentBooks, Client, ScheduleActivity } from '@hamlet/contract';
import { listAgentBooks, listScheduleBooks, ProblemError } from '@hamlet/contract/operator';
import { boostFacts, presenceFacts, scheduleFacts, standingFacts } from '../village/facts.ts';
import { holdFacts } from '../village/hold-facts.ts';
import type { ScheduleFacts } from '../kinds/schedule/observe.ts';
import type { AgentInBooks } from './agent-differences.ts';

const PAGE = 200;
const TIMEOUT_MS = 10_000;
/** A village of more agents, or schedules, than this is read no further. */
const MAX_PAGES = 500;

/** What the database holds, a page at a time. */
export interface Books {
  agents(signal: AbortSignal): AsyncIterable<ReadonlyMap<string, AgentInBooks>>;
  /** By the uid of the Schedule. */
  schedules(signal: AbortSignal): AsyncIterable<ReadonlyMap<string, ScheduleFacts>>;
}

function inBooks({ life_uid: lifeUid, standing, presence, boost, claim }: AgentBooks): AgentInBooks {
  return {
    lifeUid: lifeUid ?? undefined,
    standing: standing === null ? undefined : standingFacts(standing),
    presence: presence === null ? undefined : presenceFacts(presence),
    boost: boost === null ? undefined : boostFacts(boost),
    hold: claim === null ? undefined : holdFacts(claim),
  };
}

interface Page<T> {
  readonly entries: readonly T[];
  readonly next: string | null;
}

/** Each page is asked for once the one before was looked at. */
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

/** The books as the api reads them. What it refuses is thrown. */
export function booksThrough(client: Client): Books {
  const query = (after: string | undefined): { readonly limit: number; readonly after?: string } => ({
    limit: PAGE,
    ...(after === undefined ? {} : { after }),
  });
  const within = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return {
    agents: async function* agents(signal) {
      const read = async (after: string | undefined): Promise<Page<AgentBooks>> => {
        const outcome = await client.call(listAgentBooks, { query: query(after), signal: within(signal) });
        if (!outcome.ok) throw new ProblemError(outcome.problem);
        return { entries: outcome.data.agents, next: outcome.data.next };
      };
      for await (const entries of pages(read)) yield new Map(entries.map((entry) => [entry.agent_id, inBooks(entry)]));
    },
    schedules: async function* schedules(signal) {
      const read = async (after: string | undefined): Promise<Page<ScheduleActivity>> => {
        const outcome = await client.call(listScheduleBooks, { query: query(after), signal: within(signal) });
        if (!outcome.ok) throw new ProblemError(outcome.problem);
        return { entries: outcome.data.schedules, next: outcome.data.next };
      };
      for await (const entries of pages(read))
        yield new Map(entries.map((entry) => [entry.schedule_uid, scheduleFacts(entry)]));
    },
  };
}
