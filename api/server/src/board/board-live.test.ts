/** The live board: sockets, wakes and notes on two replicas, resumed and interrupted in every way, compared with the database. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPost, type CallInput, type Post } from '@hamlet/contract';
import { readBoardEvents, readAs, openDatabase, VILLAGE } from '@hamlet/store';
import { FULL_RUN, Seeded } from '@hamlet/test/env/seeded';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { atEnd, untilEnd } from '@hamlet/test/env/at-end';
import { dataOf, follow } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { BoardViewer } from '../testing/board-viewer.ts';
import { agentToken, AGENT_IDS, eventually, TOKENS, ownVillage, type AgentId, Play } from '../testing/test-village.ts';

const SOCKETS = FULL_RUN ? 2_000 : 40;
const OPENED_AT_ONCE = 40;
const WRITES = FULL_RUN ? 2_000 : 100;
const SEED = Number(process.env['SEED'] ?? 27);

const replicas: Play[] = [];
const viewers: BoardViewer[] = [];

const village = await ownVillage('migrated', { villageSpeed: 20 });
for (let count = 0; count < 2; count += 1) replicas.push(new Play((await village.startReplica()).peopleUrl));
const db = untilEnd(openDatabase({ url: village.postgres.url(), poolSize: 2, onError: () => undefined }));
await eventually(
  'all agents in the world',
  async () =>
    (await at(0).world()).agents.length === AGENT_IDS.length &&
    (await at(1).world()).agents.length === AGENT_IDS.length,
);
atEnd(async () => {
  for (const viewer of viewers) viewer.leave();
});

function at(replica: number): Play {
  const play = replicas[replica];
  assert.ok(play !== undefined);
  return play;
}

async function viewerAt(replica: number, token?: string): Promise<BoardViewer> {
  const viewer = new BoardViewer(token);
  viewers.push(viewer);
  await viewer.open(at(replica).url);
  await eventually('a snapshot', () => viewer.messages.length > 0);
  return viewer;
}

async function post(replica: number, body: Partial<CallInput<typeof createPost>['body']> = {}): Promise<Post> {
  return (await at(replica).admin.createPost({ title: 'News', body: 'of the day', ...body })).post;
}

test('each viewer gets every event with the content that it may see, on both replicas', async () => {
  const names = ['visitor', 'member', 'ada', 'bob', 'admin'] as const;
  const tokens = [undefined, TOKENS.member, agentToken('ada'), agentToken('bob'), TOKENS.admin];
  const watching = await Promise.all(tokens.map((token, index) => viewerAt(index % 2, token)));
  assert.deepEqual(
    watching.map(({ messages: [first] }) => first?.type),
    names.map(() => 'snapshot'),
  );
  const open = await post(0);
  const toBob = await post(1, { audience: 'agent:bob', title: 'For bob' });
  const { reply_id } = await at(1).as('bob').replyToPost({ post_id: toBob.post_id, body: 'Yes?' });
  await at(0).as('bob').flagPost({ post_id: open.post_id, reason: 'spam' });
  await at(0).admin.closePost({ post_id: open.post_id });
  await at(1).admin.moderatePost({ post_id: open.post_id, reason: 'spam' });
  await at(0).admin.moderatePost({ post_id: open.post_id, decision: 'undo', reason: 'other' });
  await at(0).admin.rewardAgent({ agent_id: 'bob', amount: '1.5', reason: 'quick', related_post_id: reply_id });
  const last = await post(1, { title: 'The last' });
  await eventually('the last everywhere', () =>
    watching.every(({ events }) => events.at(-1)?.post_id === last.post_id),
  );
  const received = Object.fromEntries(
    names.map((name, index) => [name, watching[index]?.events.map(({ what }) => what).join(' ')]),
  );
  const ofAll = 'posted status hidden restored posted';
  const ofBob = 'posted posted replied status hidden restored rewarded posted';
  assert.deepEqual(received, {
    visitor: ofAll,
    member: ofAll,
    ada: ofAll,
    bob: ofBob,
    admin: 'posted posted replied flagged status hidden restored rewarded posted',
  });
  const bob = watching[3]?.events ?? [];
  assert.deepEqual([bob[2]?.reply?.body, bob[6]?.reply?.rewarded, bob[6]?.reply?.reply_id], ['Yes?', '1.5', reply_id]);
  for (const { events } of watching)
    for (const { offset, epoch } of events) assert.ok(offset > 0 && epoch === events[0]?.epoch);
});

test('viewers get null for a hidden text, and drop it', async () => {
  const [viewer, author] = [await viewerAt(0), await viewerAt(1, agentToken('cleo'))];
  const { post_id } = await at(0).as('cleo').createPost({ title: 'Rude', body: 'words' });
  await eventually('the post', () => viewer.events.some((event) => event.post?.post_id === post_id));
  await at(1).admin.moderatePost({ post_id, reason: 'abuse' });
  const gone = await eventually('its hiding', () => viewer.events.find(({ what }) => what === 'hidden'));
  assert.deepEqual([gone.post_id, gone.post], [post_id, null]);
  const hiding = await eventually('the event for its author', () =>
    author.events.find(({ what }) => what === 'hidden'),
  );
  assert.equal(hiding.post?.moderation?.reason, 'abuse');
});

test('a viewer resumes at its offset, even on the other replica; a lost offset causes a reset', async () => {
  const viewer = await viewerAt(0);
  await post(0, { title: 'before' });
  await eventually('the first', () => viewer.events.length === 1);
  viewer.leave();
  for (const title of ['meanwhile 1', 'meanwhile 2']) await post(0, { title });
  await viewer.open(at(1).url);
  await eventually('the missed events', () => viewer.events.length === 3);
  assert.deepEqual(
    viewer.events.map((event) => event.post?.title),
    ['before', 'meanwhile 1', 'meanwhile 2'],
  );
  const { epoch, offset } = viewer.events.at(-1) ?? { epoch: '', offset: 0 };
  for (const bad of [`${epoch}:${offset + 1_000}`, `other:${offset}`, 'nonsense', `${epoch}:`]) {
    const lost = new BoardViewer();
    viewers.push(lost);
    await lost.open(at(1).url, bad);
    await eventually(`a reset after ${bad}`, () => lost.messages.length >= 2);
    assert.deepEqual(pluck(lost.messages.slice(0, 2), 'type'), ['reset', 'snapshot'], bad);
    assert.equal(lost.messages[1]?.type === 'snapshot' ? lost.messages[1].posts[0]?.title : '', 'meanwhile 2');
  }
  const superuser = openSuperuser(village.postgres);
  await superuser.run('select board.forget(1, 30)');
  await superuser.close();
  const late = new BoardViewer();
  viewers.push(late);
  await late.open(at(0).url, `${epoch}:${offset - 2}`);
  await eventually('a reset after the deleted events', () => late.messages[0]?.type === 'reset');
});

test('a socket is refused to actors who may not read, and closes when an admin quarantines the agent', async () => {
  for (const [token, status] of [
    ['nonsense', '401'],
    [TOKENS.operator, '403'],
  ] as const) {
    const viewer = new BoardViewer(token);
    viewers.push(viewer);
    await assert.rejects(viewer.open(at(0).url), new RegExp(`Unexpected server response: ${status}`));
  }
  const fay = await viewerAt(1, agentToken('fay'));
  await at(0).admin.quarantineAgent({ agent_id: 'fay', reason: 'odd posts' });
  await eventually('its socket closed', () => fay.closes.length === 1);
  assert.deepEqual(fay.closes, [4_401]);
});

/** The board hints that an agent's wake stream brings. */
function hintsOf(replica: number, agentId: AgentId) {
  const { events, stop } = follow((signal) => at(replica).as(agentId).openWakes({ agent_id: agentId }, { signal }));
  return { hints: () => events.flatMap((event) => (event.event === 'board' ? [event.data] : [])), stop };
}

test('a reply wakes the agents that it concerns and no others, on any replica', async () => {
  const [dan, eve, bob] = [hintsOf(0, 'dan'), hintsOf(1, 'eve'), hintsOf(1, 'bob')];
  await eventually('all online', async () =>
    (await Promise.all((['dan', 'eve', 'bob'] as const).map((id) => at(0).agent(id)))).every(
      ({ status }) => status.online,
    ),
  );
  const { post_id } = await at(1).as('dan').createPost({ title: 'Where is my hat?', body: 'It was here.' });
  await at(1).as('eve').replyToPost({ post_id, body: 'On your head.' });
  const { reply_id } = await at(0).admin.replyToPost({ post_id, body: 'Eve is right. @bob, look.' });
  await eventually(
    'dan twice, eve and bob once',
    () => dan.hints().length === 2 && eve.hints().length === 1 && bob.hints().length === 1,
  );
  assert.deepEqual(
    [dan.hints()[1], eve.hints()[0], bob.hints()[0]],
    [
      { post_id, reply_id, why: 'reply' },
      { post_id, reply_id, why: 'reply' },
      { post_id, reply_id, why: 'mention' },
    ],
  );
  for (const { stop } of [dan, eve, bob]) stop();
});

test('a note pinned in the world becomes one post at that place, even if no replica ran at the time', async () => {
  const spot = await at(0).walk('ada', { landmark_id: 'board' });
  dataOf(await at(1).act('ada', { kind: 'use_board', text: '  Lost: one hat.\nReward: a loaf.  ' }));
  dataOf(await at(1).act('ada', { kind: 'use_board' }));
  const noted = async (): Promise<readonly Post[]> => (await at(1).admin.listPosts({ tag: 'note' })).posts;
  const [note] = await eventually('the post', async () => ((await noted()).length > 0 ? noted() : null));
  assert.deepEqual(
    [note?.title, note?.body, note?.author_id, note?.audience],
    ['Lost: one hat.', 'Lost: one hat.\nReward: a loaf.', 'ada', 'public'],
  );
  assert.deepEqual(note?.place, { ...spot.position, landmark_id: 'board' });
  // Moves the cursor back, as after a crash between the commit of the world and that of the board.
  const superuser = openSuperuser(village.postgres);
  await superuser.run('update board.world_cursor set seq = 0');
  dataOf(await at(0).act('ada', { kind: 'use_board', text: 'Found: one hat.' }));
  await eventually('the second post', async () => (await noted()).length === 2);
  await sleep(100);
  assert.deepEqual(pluck(await noted(), 'title'), ['Found: one hat.', 'Lost: one hat.']);
  const refused = await at(0).act('bob', {
    kind: 'use_board',
    text: 'https://a.example https://b.example https://c.example',
  });
  assert.equal(refused.ok ? null : refused.problem.code, 'board_content_limited');
  await superuser.close();
});

/** Sends each write to both replicas at once, until one has answered. */
async function writeStorm(random: Seeded, intents: number): Promise<void> {
  const threads: string[] = [];
  const write = async (): Promise<void> => {
    const idempotencyKey = randomUUID();
    const thread = random.chance(0.6) ? random.one(threads) : undefined;
    const audience = random.one(['public', 'humans', 'agents', 'agent:bob']) ?? 'public';
    const ask = async ({ admin }: Play): Promise<string | null> => {
      if (thread === undefined) {
        const posted = await admin.raw.createPost(
          { title: idempotencyKey, body: 'storm', audience },
          { idempotencyKey },
        );
        return posted.ok ? posted.data.post_id : null;
      }
      return (await admin.raw.replyToPost({ post_id: thread, body: idempotencyKey }, { idempotencyKey })).ok
        ? thread
        : null;
    };
    threads.push(
      await eventually('an answer', async () =>
        (await Promise.all([at(0), at(1)].map(ask))).find((answered) => answered !== null),
      ),
    );
  };
  for (let written = 0; written < intents; written += 10) await Promise.all(Array.from({ length: 10 }, write));
}

test(`${SOCKETS} sockets that break and resume anywhere, ${WRITES} writes to both replicas, Redis restarted (seed ${SEED}): each event arrives once`, async () => {
  const random = new Seeded(SEED);
  const begun = (await readAs(db, VILLAGE, (tx) => readBoardEvents(tx, 0, 100_000))).at(-1)?.offset ?? 0;
  const tokens = [undefined, TOKENS.member, agentToken('bob'), TOKENS.admin];
  const storm: BoardViewer[] = [];
  // Opens at most as many at a time as the listen queue of a socket holds.
  while (storm.length < SOCKETS)
    storm.push(
      ...(await Promise.all(
        Array.from({ length: OPENED_AT_ONCE }, (_, index) => viewerAt(index % 2, tokens[index % tokens.length])),
      )),
    );
  let writing = true;
  const breaking = (async () => {
    while (writing) {
      const viewer = random.one(storm);
      viewer?.leave();
      await sleep(random.between(0, 40));
      await viewer?.open(at(random.chance(0.5) ? 0 : 1).url);
    }
  })();
  const redis = (async () => {
    await sleep(200);
    await village.redis.stop('SIGKILL');
    await sleep(500);
    await village.redis.start();
  })();
  await writeStorm(random, WRITES);
  writing = false;
  await Promise.all([breaking, redis]);
  const superuser = openSuperuser(village.postgres);
  await eventually('an empty outbox', async () => (await superuser.run('select 1 from board.outbox')).length === 0);
  const made = await superuser.run(
    `select title as key from board.post where body = 'storm' union all select body from board.reply where body ~ '^[0-9a-f-]{36}$'`,
  );
  assert.deepEqual([made.length, new Set(made.map(({ key }) => key)).size], [WRITES, WRITES], 'each intent once');
  const wrong = await superuser.run(
    'select 1 from board.post p where replies <> (select count(*) from board.reply r where r.post_id = p.post_id and r.hidden is null)',
  );
  assert.deepEqual(wrong, [], 'counted once each');
  await superuser.close();
  const looks = [
    { role: 'visitor', actor: '' },
    { role: 'member', actor: 'key member' },
    { role: 'agent', actor: 'bob' },
    { role: 'admin', actor: 'key admin' },
  ] as const;
  for (const [index, look] of looks.entries()) {
    const app = openDatabase({
      url: village.environment['HAMLET_POSTGRES_URL'] ?? '',
      poolSize: 1,
      onError: () => undefined,
    });
    const expected = (await readAs(app, look, (tx) => readBoardEvents(tx, begun, 100_000))).map(({ offset }) => offset);
    await app.destroy();
    assert.ok(expected.length > 0);
    for (const viewer of storm.filter((_, position) => position % tokens.length === index)) {
      const from = viewer.messages[0]?.offset ?? 0;
      await eventually(`all of ${look.role}`, () => (viewer.events.at(-1)?.offset ?? 0) >= (expected.at(-1) ?? 0));
      assert.deepEqual(
        pluck(viewer.events, 'offset'),
        expected.filter((offset) => offset > from),
        look.role,
      );
    }
  }
});

test('the other replica immediately reads a text that this one wrote', async () => {
  const { post_id } = await post(0, { title: 'fresh' });
  assert.equal((await at(1).admin.getPost({ post_id })).post.title, 'fresh');
});
