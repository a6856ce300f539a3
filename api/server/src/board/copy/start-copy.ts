import type { Hiding } from '@hamlet/core';
import type { Registry } from 'prom-client';
import { registerGauges } from '../../service/metrics.ts';
import type { RedisLink } from '../../world/redis-link.ts';
import { createReadBoard } from './board-reads.ts';
import type { ReadBoard } from './board-reads.ts';
import { CopyKeeper } from './copy-keeper.ts';
import type { KeeperPorts } from './copy-keeper.ts';
import { openHidingSignal } from './hiding-signal.ts';

/** The copy of the board that this replica answers from while the database is away. */
export interface BoardStandIn {
  readonly read: ReadBoard;
  /** Something was committed to the board here. */
  readonly noteBack: () => void;
  /** Something was hidden, and that is committed. */
  readonly hide: (hiding: Hiding) => void;
  stop(): Promise<void>;
}

/** Reads the copy, and follows the board from then on. */
export async function startBoardCopy({
  link,
  registry,
  ...ports
}: KeeperPorts & {
  readonly link: Pick<RedisLink, 'publish' | 'subscribe'>;
  readonly registry: Registry;
}): Promise<BoardStandIn> {
  const keeper = new CopyKeeper(ports);
  const hide = await openHidingSignal(link, keeper);
  keeper.nudge();
  await keeper.settled();
  registerGauges(registry, {
    hamlet_board_copy_age_seconds: {
      help: 'Age of the copy of the board that is shown while Postgres is away',
      read: () => keeper.ageMs / 1_000,
    },
    hamlet_board_copy_threads: { help: 'Threads in that copy', read: () => keeper.copy?.threads.length ?? 0 },
  });
  return { read: createReadBoard(keeper), noteBack: () => keeper.noteBack(), hide, stop: () => keeper.stop() };
}
