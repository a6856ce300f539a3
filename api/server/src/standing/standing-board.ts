import { goodStanding, Standing } from '@hamlet/contract';
import { inSnapshot, internalEventRange, readInternalEvents, readStandings } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { InternalSignal } from '../agents/internal-signal.ts';
import { coalesce } from '../service/single-flight.ts';
import type { Log } from '../service/log.ts';

const PAGE = 500;
const POLL_MS = 2_000;
/** However the events are followed, the whole is read again this often. */
const RELOAD_MS = 60_000;

/** How every agent stands, in the memory of this replica: some milliseconds behind Postgres. What is refused is decided by Postgres, not by this. */
export interface StandingBoard {
  get(agentId: string): Standing;
  /** Hears which agents' standing has changed. */
  onChange(hear: (agentIds: readonly string[]) => void): void;
  close(): void;
}

/** Whether anything is held against an agent. */
export function isBarred({ quarantined, frozen, banned, killed, token_revoked }: Standing): boolean {
  return quarantined || frozen || banned || killed || token_revoked;
}

/** Reads every standing, then follows the events; a signal that was missed is made up for by looking. */
export async function startStandingBoard(ports: {
  readonly db: Db;
  readonly signal: InternalSignal;
  readonly log: Log;
  readonly monotonicMs: () => number;
}): Promise<StandingBoard> {
  const { db, signal, log, monotonicMs } = ports;
  const standings = new Map<string, Standing>();
  const hearers: ((agentIds: readonly string[]) => void)[] = [];
  let offset = 0;
  let loadedMs = 0;

  function take(news: readonly Standing[]): void {
    const changed = new Set<string>();
    for (const standing of news) {
      if (JSON.stringify(standings.get(standing.agent_id)) === JSON.stringify(standing)) continue;
      standings.set(standing.agent_id, standing);
      changed.add(standing.agent_id);
    }
    if (changed.size > 0) for (const hear of hearers) hear([...changed]);
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
    follow().catch((error: unknown) => log('warn', 'the standing of agents waits for the database', { error })),
  );
  const look = (): void => void catchUp();

  await load();
  signal.on('standing', look);
  const timer = setInterval(look, POLL_MS);
  return {
    get: (agentId) => standings.get(agentId) ?? goodStanding(agentId),
    onChange: (hear) => void hearers.push(hear),
    close: () => clearInterval(timer),
  };
}
