import { FLAG_OF_MEASURE, goodStanding, MEASURES, Standing } from '@hamlet/contract';
import { inSnapshot, internalEventRange, readInternalEvents, readStandings } from '@hamlet/store';
import { coalesce } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';

const PAGE = 500;
const POLL_MS = 2_000;
const RELOAD_MS = 60_000;

export const isBarred = (standing: Standing): boolean => MEASURES.some((measure) => standing[FLAG_OF_MEASURE[measure]]);

/** Reads every standing, then follows the events; polling makes up for lost notifications. */
export async function startStandingCache(ports: Pick<Services, 'db' | 'log' | 'monotonicMs' | 'notifications'>) {
  const { db, notifications, log, monotonicMs } = ports;
  const standings = new Map<string, Standing>();
  const callbacks: ((agentIds: readonly string[]) => void)[] = [];
  let offset = 0;
  let loadedMs = 0;

  function take(news: readonly Standing[]): void {
    const changed = new Set<string>();
    for (const standing of news) {
      if (JSON.stringify(standings.get(standing.agent_id)) === JSON.stringify(standing)) continue;
      standings.set(standing.agent_id, standing);
      changed.add(standing.agent_id);
    }
    if (changed.size > 0) for (const callback of callbacks) callback([...changed]);
  }

  async function load(): Promise<void> {
    const { last, all } = await inSnapshot(db, async (tx) => ({
      ...(await internalEventRange(tx)),
      all: await readStandings(tx),
    }));
    const listed = new Set(all.map((standing) => standing.agent_id));
    take([
      ...all,
      ...[...standings.keys()].filter((agentId) => !listed.has(agentId)).map((agentId) => goodStanding(agentId)),
    ]);
    [offset, loadedMs] = [last, monotonicMs()];
  }

  async function follow(): Promise<void> {
    const { first } = await internalEventRange(db);
    if (monotonicMs() - loadedMs > RELOAD_MS || offset < first - 1) return load();
    for (
      let page = await readInternalEvents(db, offset, PAGE);
      page.length > 0;
      page = await readInternalEvents(db, offset, PAGE)
    ) {
      take(page.flatMap(({ event, data }) => (event === 'standing' ? [Standing.parse(data)] : [])));
      offset = page.at(-1)?.id ?? offset;
    }
  }

  const catchUp = coalesce(() =>
    follow().catch((error: unknown) => log('warn', 'the standing of agents was not read; the API retries', { error })),
  );
  const look = (): void => void catchUp();

  await load();
  notifications.onInternal('standing', look);
  const timer = setInterval(look, POLL_MS);
  return {
    get: (agentId: string) => standings.get(agentId) ?? goodStanding(agentId),
    onChange: (callback: (agentIds: readonly string[]) => void): void => void callbacks.push(callback),
    close: () => clearInterval(timer),
  };
}

export type StandingCache = Awaited<ReturnType<typeof startStandingCache>>;
