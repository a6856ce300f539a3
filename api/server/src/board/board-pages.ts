import type { BoardEvent, BoardSnapshot } from '@hamlet/contract';
import { listFromCopy } from '@hamlet/core';
import { boardRange, readAs, readBoardEvents, readPosts, readSnapshotAs, VILLAGE } from '@hamlet/store';
import type { Db, ShownEvent, Viewer } from '@hamlet/store';
import { accepted } from '../http/outcome.ts';
import { UnavailableError } from '../http/respond.ts';
import type { ReadBoard } from './board-copy.ts';
import type { BoardRelay } from './board-relay.ts';
import { postView, replyView } from './post-view.ts';

const PAGE = 200;
const SNAPSHOT_POSTS = 50;
const SHARED_MAX = 64;

interface EventPage {
  readonly texts: readonly string[];
  readonly last: number;
  readonly upTo: number;
}

function eventText(epoch: string, { offset, what, postId, replyId, post, reply }: ShownEvent): string {
  const event: BoardEvent = {
    type: 'event',
    epoch,
    offset,
    what,
    post_id: postId,
    reply_id: replyId,
    post: post === null ? null : postView(post),
    reply: reply === null ? null : replyView(reply),
  };
  return JSON.stringify(event);
}

interface PagesPorts {
  readonly db: Db;
  readonly relay: BoardRelay;
  readonly epoch: string;
  readonly read: ReadBoard;
}

async function readPage({ db, relay: { head }, epoch }: PagesPorts, viewer: Viewer, after: number): Promise<EventPage> {
  const events = await readAs(db, viewer, (tx) => readBoardEvents(tx, after, PAGE));
  const last = events.at(-1)?.offset ?? after;
  // A page that is not full is the last one, so it is complete up to the newest offset.
  return {
    texts: events.map((event) => eventText(epoch, event)),
    last,
    upTo: events.length < PAGE ? Math.max(last, head) : last,
  };
}

async function readNewest({ db, relay, epoch, read }: PagesPorts, viewer: Viewer): Promise<BoardSnapshot> {
  const newest = { before: null, limit: SNAPSHOT_POSTS };
  const snapshot = await read<BoardSnapshot>({
    now: new Date(),
    live: async () => {
      const offset = relay.head;
      const { rows } = await readSnapshotAs(db, viewer, (tx) => readPosts(tx, {}, newest));
      return accepted({ type: 'snapshot', epoch, offset, posts: rows.map(postView) });
    },
    copied: (copy, offset) => {
      const page = listFromCopy(copy, viewer, { filter: {}, ...newest });
      return page === null ? null : { type: 'snapshot', epoch, offset, posts: [...page.rows] };
    },
    lacking: 'the database does not answer, and this replica has no copy of the board yet; try again',
  });
  if (!snapshot.ok) throw new UnavailableError(snapshot.detail);
  return snapshot.data;
}

/** Reads the stream. Viewers that are equal for row-level security and have the same offset share one read and its texts. */
export function createBoardPages(ports: PagesPorts) {
  const { db, relay, epoch } = ports;
  const shared = new Map<string, Promise<EventPage>>();
  relay.onHead(() => shared.clear());

  return {
    epoch,
    read: (viewer: Viewer, after: number) => {
      const key = JSON.stringify([viewer.role, viewer.actor, after]);
      const known = shared.get(key);
      if (known !== undefined) return known;
      const reading = readPage(ports, viewer, after);
      if (shared.size < SHARED_MAX) shared.set(key, reading);
      reading.catch(() => shared.delete(key));
      return reading;
    },
    snapshot: (viewer: Viewer) => readNewest(ports, viewer),
    resumeFrom: async (after: string) => {
      const [ofEpoch, text = ''] = after.split(':');
      if (ofEpoch !== epoch || !/^\d{1,15}$/.test(text)) return null;
      const offset = Number(text);
      if (offset > relay.head) await relay.catchUp();
      const { first } = await readAs(db, VILLAGE, boardRange);
      return offset <= relay.head && offset >= first - 1 ? offset : null;
    },
  };
}

export type BoardPages = ReturnType<typeof createBoardPages>;
