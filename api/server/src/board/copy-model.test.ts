/** The copy shows exactly what row-level security shows. The test compares both for every viewer after random acts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COPY_LIMITS, listFromCopy, maySeePost, maySeeReply, threadFromCopy } from '@hamlet/core';
import type { BoardCopy, BoardViewer, PostQuestion, CopyLimits } from '@hamlet/core';
import type { Post, Reply } from '@hamlet/contract';
import {
  inTransaction,
  insertPost,
  setViewer,
  openDatabase,
  readAs,
  readFirstReplies,
  readPosts,
  relayBoard,
  setHidden,
  VILLAGE,
} from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { FULL_RUN, Seeded } from '@hamlet/test/env/seeded';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { atEnd, untilEnd } from '@hamlet/test/env/at-end';
import { AUTHORS, BoardWriter, HIDDEN } from '../testing/board-writer.ts';
import { eventually } from '../testing/test-village.ts';
import { postView, replyView } from './post-view.ts';
import { CopyFollower } from './copy-follower.ts';

const ROUNDS = FULL_RUN ? 160 : 4;
const ACTS = 25;
const SEED = Number(process.env['SEED'] ?? 35);
const ALL = 10_000;
const TINY: CopyLimits = { threads: 12, replies: 3, bytes: 60_000 };

const followers: CopyFollower[] = [];

const postgres = untilEnd(await migratedPostgres());
const db = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 4, onError: () => undefined }));
atEnd(async () => {
  for (const follower of followers) await follower.stop();
});

function keep(limits?: CopyLimits): CopyFollower {
  const follower = new CopyFollower({
    db,
    relay: { onHead: () => undefined },
    log: () => undefined,
    monotonicMs: () => performance.now(),
    ...(limits === undefined ? {} : { limits }),
  });
  followers.push(follower);
  return follower;
}

/** All viewers, and some that do not exist; agents, people and the village share names. */
const VIEWERS = [
  ['visitor', ''],
  ['visitor', 'ada'],
  ['member', 'ada'],
  ['member', 'key member'],
  ['member', 'bob'],
  ['agent', 'ada'],
  ['agent', 'bob'],
  ['agent', 'bo'],
  ['agent', 'cleo'],
  ['agent', ''],
  ['admin', 'key admin'],
  ['admin', 'ada'],
  ['system', 'village'],
  ['somebody', 'ada'],
  ['', ''],
  ['operator', 'ada'],
].map(([role, actor]) => ({ role, actor }) as BoardViewer);

const FILTERS: readonly PostQuestion[] = [
  {},
  { status: 'open' },
  { status: 'moderated' },
  { tag: 'help' },
  { tag: 'help', status: 'open' },
  { audience: 'agent:bob' },
  { author: 'ada' },
  { author: 'ada', authorType: 'human' },
  { landmarkId: 'board' },
];

interface Lists {
  readonly viewer: BoardViewer;
  readonly lists: readonly { readonly filter: PostQuestion; readonly posts: readonly Post[] }[];
}

interface Seen {
  readonly posts: readonly Post[];
  readonly replies: readonly Reply[];
}

/** The posts that row-level security shows a viewer, without the weight of flags, which a copy omits. */
async function postsFor(tx: Tx, filter: PostQuestion): Promise<readonly Post[]> {
  return (await readPosts(tx, filter, { before: null, limit: ALL })).rows.map((row) =>
    postView({ ...row, flags: null }),
  );
}

/** Everything that row-level security shows a viewer. */
function seenBy(viewer: BoardViewer): Promise<Seen> {
  return readAs(db, viewer, async (tx) => {
    const posts = await postsFor(tx, {});
    const replies = await readFirstReplies(
      tx,
      posts.map(({ post_id: id }) => id),
      ALL,
    );
    return { posts, replies: replies.map((row) => replyView({ ...row, flags: null })) };
  });
}

function readLists(): Promise<readonly Lists[]> {
  return Promise.all(
    VIEWERS.map(async (viewer) => ({
      viewer,
      lists: await readAs(db, viewer, async (tx) => {
        const lists: { filter: PostQuestion; posts: readonly Post[] }[] = [];
        for (const filter of FILTERS) lists.push({ filter, posts: await postsFor(tx, filter) });
        return lists;
      }),
    })),
  );
}

async function current(follower: CopyFollower): Promise<BoardCopy> {
  await relayBoard(db, ALL);
  follower.nudge();
  await follower.settled();
  assert.ok(follower.copy !== null && !follower.away);
  return follower.copy;
}

type SeenBy = ReadonlyMap<BoardViewer, Seen>;

/** Checks the visibility rule of core on every row. */
function assertSameVerdicts(everything: Seen, seen: SeenBy): number {
  const postOf = new Map(everything.posts.map((post) => [post.post_id, post]));
  let hidden = 0;
  for (const [viewer, { posts, replies }] of seen) {
    const allowed = everything.replies.filter((reply) => {
      const post = postOf.get(reply.post_id);
      return post !== undefined && maySeeReply(viewer, post, reply);
    });
    assert.deepEqual(
      everything.posts.filter((post) => maySeePost(viewer, post)).map(({ post_id: id }) => id),
      posts.map(({ post_id: id }) => id),
      `posts for ${viewer.role} ${viewer.actor}`,
    );
    assert.deepEqual(
      allowed.map(({ reply_id: id }) => id).toSorted(),
      replies.map(({ reply_id: id }) => id).toSorted(),
      `replies for ${viewer.role} ${viewer.actor}`,
    );
    hidden += everything.posts.length - posts.length;
  }
  return hidden;
}

function pagesOf(
  copy: BoardCopy,
  viewer: BoardViewer,
  { filter, limit }: { readonly filter: PostQuestion; readonly limit: number },
): { readonly posts: readonly Post[]; readonly ended: boolean } {
  const posts: Post[] = [];
  for (let before: string | null = null; ;) {
    const page = listFromCopy(copy, viewer, { filter, before, limit });
    if (page === null) return { posts, ended: false };
    posts.push(...page.rows);
    if (page.next === null) return { posts, ended: true };
    assert.equal(page.next, page.rows.at(-1)?.post_id, 'a cursor names a shown post');
    before = page.next;
  }
}

function assertSameLists(copy: BoardCopy, all: readonly Lists[], random: Seeded): void {
  const floor = copy.whole ? '' : (copy.threads.at(-1)?.post.post_id ?? '');
  for (const { viewer, lists } of all) {
    for (const { filter, posts } of lists) {
      const listed = pagesOf(copy, viewer, { filter, limit: Math.ceil(random.between(0, 6)) });
      assert.deepEqual(
        listed.posts,
        posts.filter(({ post_id: id }) => id >= floor),
        `${JSON.stringify(filter)} for ${viewer.role} ${viewer.actor}`,
      );
      assert.equal(listed.ended, copy.whole);
    }
  }
}

function assertSameThreads(
  copy: BoardCopy,
  everything: Seen,
  { seen, replies: atMost }: { readonly seen: SeenBy; readonly replies: number },
): void {
  const kept = new Set(copy.threads.map(({ post }) => post.post_id));
  const repliesOf = Map.groupBy(everything.replies, ({ post_id: id }) => id);
  for (const { post_id: postId } of everything.posts) {
    const replies = repliesOf.get(postId) ?? [];
    const oldest = new Set(replies.slice(0, atMost).map(({ reply_id: id }) => id));
    const isCut = replies.length > atMost;
    for (const [viewer, shown] of seen) {
      const thread = threadFromCopy(copy, viewer, { postId, after: null, limit: ALL });
      const post = shown.posts.find(({ post_id: id }) => id === postId);
      const expected = shown.replies.filter(({ reply_id: id }) => oldest.has(id));
      const isUncertain = post === undefined || !kept.has(postId) || (isCut && expected.length === 0);
      assert.deepEqual(
        thread,
        isUncertain
          ? null
          : { post, replies: { rows: expected, next: isCut ? (expected.at(-1)?.reply_id ?? null) : null } },
        `${postId} for ${viewer.role} ${viewer.actor}`,
      );
    }
  }
}

test(`${ROUNDS * ACTS} acts (seed ${SEED}): the copy shows every viewer exactly what the database shows`, async () => {
  const random = new Seeded(SEED);
  const writer = new BoardWriter(db, random);
  const [large, tiny] = [keep(), keep(TINY)];
  let hidden = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await writer.write(ACTS);
    // Sometimes the test simulates an outage, after which the followers reload everything.
    if (random.chance(0.2)) for (const follower of [large, tiny]) follower.noteAway();
    const everything = await seenBy(VILLAGE);
    const seen: SeenBy = new Map(
      await Promise.all(VIEWERS.map(async (viewer) => [viewer, await seenBy(viewer)] as const)),
    );
    const lists = await readLists();
    hidden += assertSameVerdicts(everything, seen);
    for (const [follower, { replies }] of [
      [large, COPY_LIMITS],
      [tiny, TINY],
    ] as const) {
      const copy = await current(follower);
      assertSameLists(copy, lists, random);
      assertSameThreads(copy, everything, { seen, replies });
    }
    assert.ok((tiny.copy?.threads.length ?? 0) <= TINY.threads);
  }
  assert.ok(hidden > ROUNDS * 10, 'some posts were hidden from some viewers');
  const { length: written } = (await seenBy(VILLAGE)).posts;
  assert.deepEqual([large.copy?.whole, tiny.copy?.whole], [written <= COPY_LIMITS.threads, false]);
  const fresh = await current(keep(TINY));
  assert.deepEqual(tiny.copy, fresh, 'the updated copy equals a newly loaded one');
});

test('a text that is hidden while the copy is read stays hidden, even if the read returned it', async () => {
  const [author] = AUTHORS;
  assert.ok(author !== undefined);
  const post = await inTransaction(db, async (tx) => {
    await setViewer(tx, VILLAGE);
    return insertPost(tx, {
      by: author,
      audience: 'public',
      title: 'secret',
      body: 'secret',
      tags: [],
      place: null,
      mentions: [],
    });
  });
  assert.ok(post !== null);
  const { postId } = post;
  const visitor: BoardViewer = { role: 'visitor', actor: '' };
  const shows = (follower: CopyFollower): boolean =>
    follower.copy !== null && threadFromCopy(follower.copy, visitor, { postId, after: null, limit: 1 }) !== null;
  const follower = keep();
  await current(follower);
  assert.equal(shows(follower), true);
  const superuser = openSuperuser(postgres);
  await superuser.run('begin');
  await superuser.run('lock table board.event in access exclusive mode');
  follower.noteAway();
  // The read has its snapshot and waits for the lock.
  const waiting = async (): Promise<boolean> =>
    (
      await superuser.run(
        `select 1 from pg_locks join pg_database d on d.oid = database and d.datname = current_database()
          where not granted and relation = 'board.event'::regclass`,
      )
    ).length > 0;
  await eventually('the reading', waiting);
  await inTransaction(db, async (tx) => {
    await setViewer(tx, VILLAGE);
    await setHidden(tx, { postId, replyId: null }, { hidden: HIDDEN, wasHidden: false });
  });
  follower.hide({ postId, replyId: null, note: HIDDEN });
  assert.equal(shows(follower), false);
  await superuser.run('commit');
  await follower.settled();
  assert.equal(shows(follower), false, 'the read began before');
  await current(follower);
  assert.equal(shows(follower), false);
  await superuser.close();
});
