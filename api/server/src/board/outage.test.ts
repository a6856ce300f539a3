/**
 * Postgres is killed while people read and write the board. On every replica, all callers can still read the texts that
 * they may read, and no others.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createPost, type CallInput, type Post } from '@hamlet/contract';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { dataOf, type TestClient } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { BoardViewer } from '../testing/board-viewer.ts';
import { firstAdmin } from '../testing/play/people-play.ts';
import { agentToken, clientOf, eventually, TOKENS, ownVillage } from '../testing/test-village.ts';

const replicas: { readonly url: string; readonly metricsUrl: string; stop(): Promise<void> }[] = [];

const village = await ownVillage();
for (let count = 0; count < 2; count += 1) {
  const { peopleUrl: url, metricsUrl, stop } = await village.startReplica();
  replicas.push({ url, metricsUrl, stop });
}

const urlOf = (replica: number): string => replicas[replica]?.url ?? '';

/** A caller of one replica. */
interface Reader {
  readonly name: string;
  readonly client: TestClient;
}

function readersAt(replica: number): readonly Reader[] {
  const tokens = {
    visitor: undefined,
    member: TOKENS.member,
    admin: TOKENS.admin,
    ada: agentToken('ada'),
    bob: agentToken('bob'),
    cleo: agentToken('cleo'),
  };
  return Object.entries(tokens).map(([name, token]) => ({
    name: `${name} at ${replica}`,
    client: clientOf(urlOf(replica), token),
  }));
}

async function write(client: TestClient, body: Partial<CallInput<typeof createPost>['body']>): Promise<Post> {
  return (await client.createPost({ title: 'News', body: 'of the day', ...body })).post;
}

/** Fills a board with a post for every audience and a hidden one. Returns one thread that every caller may read. */
async function fillBoard(): Promise<{ readonly open: Post; readonly toBob: Post; readonly hidden: Post }> {
  const [ada, admin] = [clientOf(urlOf(0), agentToken('ada')), clientOf(urlOf(1), TOKENS.admin)];
  for (const audience of ['agents', 'humans'] as const)
    await write(ada, { title: `for ${audience}`, audience, tags: ['help'] });
  const [open, toBob, hidden] = [
    await write(ada, { title: 'for all', tags: ['help'] }),
    await write(ada, { title: 'for bob', audience: 'agent:bob' }),
    await write(ada, { title: 'hidden' }),
  ];
  for (const { post_id } of [open, toBob])
    for (const text of ['one', 'two']) await ada.replyToPost({ post_id, body: text });
  const rude = await ada.replyToPost({ post_id: open.post_id, body: 'rude' });
  await admin.moderatePost({ post_id: hidden.post_id, reason: 'spam' });
  await admin.flagPost({ post_id: open.post_id, reason: 'abuse', reply_id: rude.reply_id });
  return { open, toBob, hidden };
}

interface BoardSeen {
  readonly posts: readonly unknown[];
  readonly threads: readonly unknown[];
  readonly isCopy: boolean;
}

/** Drops the fields that change without an act, and those that a copy omits. */
const plain = ({ flags: _flags, ...rest }: Readonly<Record<string, unknown>>): unknown => rest;

/** Reads everything that a caller may see. Throws if any request is refused. */
async function look(client: TestClient): Promise<BoardSeen> {
  const listed = await client.raw.listPosts({ limit: 50 });
  const { posts, copy } = dataOf(listed);
  assert.equal(listed.response.headers.get('age'), copy === undefined ? null : String(copy.age_s));
  if (copy !== undefined) assert.ok(copy.age_s <= 600 && Date.parse(copy.as_of) <= Date.now());
  const threads = await Promise.all(
    posts.map(async ({ post_id }) => {
      const { post, replies } = await client.getPost({ post_id });
      return { post: plain(post), replies: replies.map(plain) };
    }),
  );
  return { posts: posts.map(plain), threads, isCopy: copy !== undefined };
}

const settled = ({ posts, threads }: BoardSeen): unknown => ({ posts, threads });

/** Reads repeatedly until the signal aborts, and counts the answers from a copy; every read must succeed. */
async function keepLooking(
  { name, client }: Reader,
  expected: unknown,
  watch: { readonly until: AbortSignal; readonly report: (seen: BoardSeen) => void },
): Promise<void> {
  while (!watch.until.aborted) {
    const seen = await look(client);
    assert.deepEqual(settled(seen), expected, name);
    watch.report(seen);
  }
}

const isCopyAt = async (replica: number) => (await clientOf(urlOf(replica)).listPosts()).copy !== undefined;

/** Waits until both replicas show this post at the top of the board, from the database. */
async function seenEverywhere(postId: string): Promise<void> {
  for (const replica of [0, 1])
    await eventually(`replica ${replica} to show it`, async () => {
      const { posts, copy } = await clientOf(urlOf(replica)).listPosts({ limit: 1 });
      return posts[0]?.post_id === postId && copy === undefined;
    });
}

test('while Postgres is unreachable, all callers read the same texts as before; writes wait', async () => {
  const { open, toBob, hidden } = await fillBoard();
  const person = await firstAdmin(urlOf(0));
  const readers = [...readersAt(0), ...readersAt(1), { name: 'a person with a session', client: person.client }];
  const expected = await Promise.all(readers.map(({ client }) => look(client)));
  assert.deepEqual(
    pluck(expected, 'isCopy'),
    readers.map(() => false),
  );
  assert.deepEqual(
    expected.slice(0, 6).map(({ posts }) => posts.length),
    [1, 2, 5, 5, 3, 2],
    'each sees something else',
  );
  const stopping = new AbortController();
  const copies = readers.map(() => 0);
  const looking = Promise.all(
    expected.map((seen, index) => {
      const reader = readers[index];
      assert.ok(reader !== undefined);
      return keepLooking(reader, settled(seen), {
        until: stopping.signal,
        report: ({ isCopy }) => void (copies[index] = (copies[index] ?? 0) + Number(isCopy)),
      });
    }),
  );
  looking.catch(() => stopping.abort());
  await village.postgres.stop('SIGKILL');
  await eventually('copies for every reader', () => stopping.signal.aborted || copies.every((count) => count >= 3));
  stopping.abort();
  await looking;

  const visitor = clientOf(urlOf(1));
  const refusals = {
    write: await clientOf(urlOf(0), TOKENS.admin).raw.createPost({ title: 'x', body: 'x' }),
    reply: await clientOf(urlOf(1), agentToken('ada')).raw.replyToPost({ post_id: open.post_id, body: 'x' }),
    search: await visitor.raw.listPosts({ q: 'bread' }),
    'earlier texts': await visitor.raw.listPostRevisions({ post_id: open.post_id }),
    moderation: await clientOf(urlOf(0), TOKENS.admin).raw.listModeration(),
    news: await clientOf(urlOf(0), agentToken('ada')).raw.listBoardNews({ agent_id: 'ada' }),
    'of another': await visitor.raw.getPost({ post_id: toBob.post_id }),
    'what is hidden': await visitor.raw.getPost({ post_id: hidden.post_id }),
    'what never was': await visitor.raw.getPost({ post_id: randomUUID() }),
  };
  for (const [what, { ok, response, ...rest }] of Object.entries(refusals))
    assert.deepEqual(
      [ok, response.status, 'problem' in rest ? rest.problem.code : '', response.headers.get('retry-after')],
      [false, 503, 'unavailable', '1'],
      what,
    );
  const said = ['of another', 'what is hidden', 'what never was'].map((what) => {
    const refusal = refusals[what as keyof typeof refusals];
    return refusal.ok ? null : { ...refusal.problem, request_id: '' };
  });
  assert.deepEqual(said, [said[0], said[0], said[0]], 'no caller can detect a post that they may not see');
  assert.deepEqual(pluck((await visitor.listPosts({ tag: 'help', status: 'open', author: 'ada' })).posts, 'title'), [
    'for all',
  ]);
  assert.equal((await visitor.getPost({ post_id: open.post_id.toUpperCase() })).post.title, 'for all');
});

test('when Postgres is back, it serves reads again, the copies are reloaded, and sockets that began with a copy continue', async () => {
  const watching = [new BoardViewer(), new BoardViewer(agentToken('bob'))];
  for (const [replica, viewer] of watching.entries()) {
    await viewer.open(urlOf(replica));
    await eventually('a snapshot', () => viewer.messages.length > 0);
  }
  const begun = watching.map(({ messages: [first] }) =>
    first?.type === 'snapshot' ? [first.copy !== undefined, first.posts.map(({ title }) => title)] : null,
  );
  assert.deepEqual(begun, [
    [true, ['for all']],
    [true, ['for bob', 'for all', 'for agents']],
  ]);
  await village.postgres.start();
  const admin = clientOf(urlOf(0), TOKENS.admin);
  const written = await eventually('writing again', async () => {
    const outcome = await admin.raw.createPost({ title: 'after the outage', body: 'x' });
    return outcome.ok ? outcome.data.post : null;
  });
  assert.equal((await admin.listPosts()).copy, undefined, 'authors read their own writes');
  await seenEverywhere(written.post_id);
  await eventually('both replicas to be notified', () => watching.every(({ events }) => events.length > 0));
  for (const viewer of watching) {
    assert.deepEqual(
      viewer.events.map((event) => event.post?.title),
      ['after the outage'],
    );
    viewer.leave();
  }
});

test('a database that hangs delays no request for long', async () => {
  const superuser = openSuperuser(village.postgres);
  await superuser.run('begin');
  await superuser.run('lock table board.post in access exclusive mode');
  const read = await Promise.all([0, 1].map(async (replica) => await clientOf(urlOf(replica)).listPosts({ limit: 1 })));
  assert.deepEqual(
    read.map(({ posts, copy }) => [posts[0]?.title, copy !== undefined]),
    [
      ['after the outage', true],
      ['after the outage', true],
    ],
  );
  await superuser.run('rollback');
  await superuser.close();
  await seenEverywhere(read[0]?.posts[0]?.post_id ?? '');
});

test('a text that an admin has hidden is in no copy, even if Postgres goes away right afterwards', async () => {
  const admin = clientOf(urlOf(0), TOKENS.admin);
  const secret = await write(clientOf(urlOf(0), agentToken('ada')), { title: 'a secret' });
  for (const { metricsUrl } of replicas)
    await eventually('it in the copy', async () =>
      /^hamlet_board_copy_threads 7$/m.test(await (await fetch(`${metricsUrl}/metrics`)).text()),
    );
  await admin.moderatePost({ post_id: secret.post_id, reason: 'private' });
  await village.postgres.stop('SIGKILL');
  for (const replica of [0, 1]) {
    await eventually('a copy', () => isCopyAt(replica));
    const { posts, copy } = await clientOf(urlOf(replica)).listPosts();
    assert.ok(copy !== undefined);
    assert.deepEqual(pluck(posts, 'title'), ['after the outage', 'for all'], `replica ${replica}`);
    assert.equal((await clientOf(urlOf(replica)).raw.getPost({ post_id: secret.post_id })).ok, false);
    const toAuthor = await clientOf(urlOf(replica), agentToken('ada')).raw.getPost({ post_id: secret.post_id });
    assert.equal(
      toAuthor.ok ? toAuthor.data.post.moderation?.reason : toAuthor.problem.code,
      'private',
      `its author at ${replica} gets the reason`,
    );
  }
});

test('a replica shuts down cleanly while Postgres is unreachable and requests run', async () => {
  const busy = new AbortController();
  const asking = Promise.all(
    replicas.flatMap(({ url }) =>
      Array.from({ length: 8 }, async (_, index) => {
        const client = clientOf(url, index % 2 === 0 ? TOKENS.admin : undefined);
        while (!busy.signal.aborted) {
          const asked = index % 4 === 0 ? client.raw.createPost({ title: 'x', body: 'x' }) : client.raw.listPosts();
          // A refused connection shows that the replica has ended.
          await asked.catch(() => busy.abort());
        }
      }),
    ),
  );
  await Promise.all(replicas.map(({ stop }) => stop()));
  busy.abort();
  await asking;
  for (const { url } of replicas) await assert.rejects(fetch(`${url}/livez`));
});
