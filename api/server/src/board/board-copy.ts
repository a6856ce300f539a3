import type { Hiding, BoardCopy } from '@hamlet/core';
import type { Registry } from 'prom-client';
import { ModerationNote, type CopyNote } from '@hamlet/contract';
import { z } from 'zod';
import { registerGauges } from '../service/metrics.ts';
import type { RedisLink } from '../service/redis-link.ts';
import { CopyFollower, PATIENCE_MS, saysAway, type FollowerPorts } from './copy-follower.ts';
import { refused, type Outcome } from '../http/outcome.ts';
import { withTimeout } from '../service/with-timeout.ts';

export interface BoardStandIn {
  readonly read: ReadBoard;
  readonly noteBack: () => void;
  readonly hide: (hiding: Hiding) => void;
  stop(): Promise<void>;
}

export async function startBoardCopy({
  link,
  registry,
  ...ports
}: FollowerPorts & {
  readonly link: Pick<RedisLink, 'publish' | 'subscribe'>;
  readonly registry: Registry;
}): Promise<BoardStandIn> {
  const follower = new CopyFollower(ports);
  const hide = await openHidingSignal(link, follower);
  follower.nudge();
  await follower.settled();
  registerGauges(registry, {
    hamlet_board_copy_age_seconds: {
      help: 'Age of the copy of the board that is shown while Postgres is unreachable',
      read: () => follower.ageMs / 1_000,
    },
    hamlet_board_copy_threads: { help: 'Threads in that copy', read: () => follower.copy?.threads.length ?? 0 },
  });
  return { read: createReadBoard(follower), noteBack: () => follower.noteBack(), hide, stop: () => follower.stop() };
}

interface BoardQuestion<T> {
  readonly now: Date;
  /** Reads the database, where row-level security decides which rows the viewer sees. */
  live(): Promise<Outcome<T>>;
  /**
   * Reads the copy, which is at least as new as the event at `offset`. `maySeePost` and `maySeeReply` decide which rows
   * the viewer sees. Null if the copy cannot answer.
   */
  copied(copy: BoardCopy, offset: number): T | null;
  readonly lacking: string;
}

/** Reads the board from the database, and from this replica's copy while the database is unreachable. */
export type ReadBoard = <T extends { readonly copy?: CopyNote | undefined }>(
  question: BoardQuestion<T>,
) => Promise<Outcome<T>>;

const SECOND_MS = 1_000;

function fromCopy<T extends object>(data: T, ageMs: number, now: Date): Outcome<T> {
  const age = Math.ceil(ageMs / SECOND_MS);
  const copy: CopyNote = { as_of: new Date(now.getTime() - ageMs).toISOString(), age_s: age };
  return { ok: true, data: { ...data, copy }, headers: { age: String(age) } };
}

function createReadBoard(follower: Pick<CopyFollower, 'away' | 'copy' | 'offset' | 'ageMs' | 'noteAway'>): ReadBoard {
  return async ({ now, live, copied, lacking }) => {
    if (!follower.away || follower.copy === null) {
      try {
        return await withTimeout(PATIENCE_MS, live());
      } catch (error) {
        if (!saysAway(error)) throw error;
        follower.noteAway();
      }
    }
    const data = follower.copy === null ? null : copied(follower.copy, follower.offset);
    return data === null ? refused('unavailable', lacking) : fromCopy(data, follower.ageMs, now);
  };
}

const CHANNEL = 'hamlet:board:hidden';
const Message = z.strictObject({ postId: z.uuid(), replyId: z.uuid().nullable(), note: ModerationNote });

/**
 * Announces a hidden text to the copies of all replicas before the feed does. Returns a function that hides the text in
 * this replica's copy and announces it; call it after the commit.
 */
async function openHidingSignal(
  link: Pick<RedisLink, 'publish' | 'subscribe'>,
  follower: Pick<CopyFollower, 'hide'>,
): Promise<(hiding: Hiding) => void> {
  await link.subscribe(CHANNEL, (text) => {
    const message = Message.safeParse(JSON.parse(text));
    if (message.success) follower.hide(message.data);
  });
  return (hiding) => {
    follower.hide(hiding);
    void link.publish(CHANNEL, JSON.stringify(hiding));
  };
}
