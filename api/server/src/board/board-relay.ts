import { setTimeout as sleep } from 'node:timers/promises';
import { relayBoard } from '@hamlet/store';
import { coalesce } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';

const CHANNEL = 'hamlet:board:head';
const BATCH = 500;
/** Interval of reading the outbox without a notification, for rows of a replica that died before it notified. */
const POLL_MS = 500;
/** Pause while another replica holds the outbox: that replica may not see the newest row, so this one retries. */
const BUSY_PAUSE_MS = 15;

/** Assigns offsets to committed writes: one replica empties the outbox, the others follow over Redis or Postgres. */
export async function startBoardRelay({ db, link, log }: Pick<Services, 'db' | 'link' | 'log'>) {
  const receivers: ((head: number) => void)[] = [];
  let head = 0;
  let stopped = false;
  let working: Promise<void> = Promise.resolve();

  function moveTo(offset: number): void {
    if (!Number.isSafeInteger(offset) || offset <= head) return;
    head = offset;
    for (const listener of receivers) listener(head);
  }

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
    relay().catch((error: unknown) => log('warn', 'events of the board could not be relayed; trying again', { error })),
  );

  function nudge(): void {
    working = relayInTurn();
  }

  await link.subscribe(CHANNEL, (text) => moveTo(Number(text)));
  const timer = setInterval(nudge, POLL_MS);
  await relay();
  return {
    /** The newest offset that this replica knows. Every event up to it can be read. */
    get head() {
      return head;
    },
    nudge,
    onHead: (listener: (head: number) => void): void => void receivers.push(listener),
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

export type BoardRelay = Awaited<ReturnType<typeof startBoardRelay>>;
