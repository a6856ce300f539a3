import { setTimeout as sleep } from 'node:timers/promises';
import { relayBoard } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { coalesce } from '../../service/coalesce.ts';
import type { Log } from '../../service/log.ts';
import type { RedisLink } from '../../world/redis-link.ts';

const CHANNEL = 'hamlet:board:head';
/** Rows that one transaction of the relay moves. */
const BATCH = 500;
/** How often the outbox is looked at without being told: what a replica wrote that died before it could tell. */
const POLL_MS = 500;
/** Another replica is at it; it may have begun before the row was committed that this one was told of. */
const BUSY_PAUSE_MS = 15;

/** How far the board has come, as this replica knows it. */
export interface BoardRelay {
  /** The offset of the last event that this replica has heard of. Everything up to it can be read. */
  readonly head: number;
  /** Says that something was committed here. */
  nudge(): void;
  /** Hears that the head has moved. */
  onHead(hear: (head: number) => void): void;
  /** Moves the head to where the board is now. Throws where the database is away. */
  catchUp(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Gives what was written to the board its place in the order of events: one replica at a time, whichever was told first. The others hear of it over
 * Redis, and from Postgres where that is away.
 */
export async function startBoardRelay({
  db,
  link,
  log,
}: {
  readonly db: Db;
  readonly link: RedisLink;
  readonly log: Log;
}): Promise<BoardRelay> {
  const hearers: ((head: number) => void)[] = [];
  let head = 0;
  let stopped = false;
  let working: Promise<void> = Promise.resolve();

  function moveTo(offset: number): void {
    if (!Number.isSafeInteger(offset) || offset <= head) return;
    head = offset;
    for (const hear of hearers) hear(head);
  }

  /** Empties the outbox. True where another replica holds it. */
  async function relayOnce(): Promise<boolean> {
    for (let moved = BATCH; moved >= BATCH;) {
      const last = await relayBoard(db, BATCH);
      if (last === null) return true;
      moved = last - head;
      if (moved > 0) void link.publish(CHANNEL, String(last));
      moveTo(last);
    }
    return false;
  }

  async function relay(): Promise<void> {
    while (await relayOnce()) {
      await sleep(BUSY_PAUSE_MS);
      if (stopped) return;
    }
  }
  const relayInTurn = coalesce(() =>
    relay().catch((error: unknown) => log('warn', 'events of the board wait for the database', { error })),
  );

  function nudge(): void {
    working = relayInTurn();
  }

  await link.subscribe(CHANNEL, (text) => moveTo(Number(text)));
  const timer = setInterval(nudge, POLL_MS);
  await relay();
  return {
    get head() {
      return head;
    },
    nudge,
    onHead: (hear) => void hearers.push(hear),
    catchUp: async () => {
      while (await relayOnce()) await sleep(BUSY_PAUSE_MS);
    },
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await working;
    },
  };
}
