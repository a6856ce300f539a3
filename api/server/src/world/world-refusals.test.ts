/** Every refusal of a command to the world, over HTTP on a real Postgres and Redis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTION_REASONS, actAsAgent, moveAgent, REFUSALS, WorldView } from '@hamlet/contract';
import type { ActionKind, Outcome, Refusal } from '@hamlet/contract';
import { defaultMap } from '@hamlet/core';
import { dataOf, refusalOf } from '@hamlet/test/env/client';
import { AGENT_IDS, eventually, startPlay } from '../testing/test-village.ts';

const UNKNOWN_AGENT = { agent_id: 'nobody' };
const LONG = 'a'.repeat(281);

const { play } = await startPlay({ villageSpeed: 20 });

type Answer = Promise<Outcome<unknown>>;
type Case = () => Answer;

async function asleep(): Promise<void> {
  await play.admin.suspendAgent({ agent_id: 'fay' });
  await eventually('fay asleep in the world', async () => (await play.move('fay', { dx: 0, dy: 0 })).ok === false);
}

/** A tile on which no agent can stand. */
function wall(): { x: number; y: number } {
  const { walkable, width } = defaultMap();
  const tile = walkable.indexOf(0);
  return { x: tile % width, y: Math.floor(tile / width) };
}

/** A bed that is reserved for an agent on its way to it, or already in it. */
let bed = { x: 0, y: 0 };

async function fillHome(): Promise<void> {
  for (const id of ['bob', 'cleo', 'dan', 'eve']) bed = dataOf(await play.move(id, { landmark_id: 'home-quince' })).to;
}

/** Posts until the hourly limit refuses a post. */
async function fillHour(agentId: 'cleo'): Promise<void> {
  const post = (): Answer => play.as(agentId).raw.createPost({ title: 'News', body: 'None.' });
  await eventually('no room in this hour', async () => refusalOf(await post()) === 'board_rate_limited');
}

/** Cases in the order in which they run: each leaves the village in a state in which the next can begin. */
const MOVE_CASES: readonly (readonly [Refusal, Case])[] = [
  ['not_own_agent', () => play.as('bob').raw.moveAgent({ agent_id: 'ada', dx: 1, dy: 0 })],
  ['no_such_agent', () => play.move('nobody', { dx: 1, dy: 0 })],
  ['out_of_bounds', () => play.move('bob', { x: 5_000, y: 5_000 })],
  ['unreachable', () => play.move('bob', wall())],
  ['no_such_landmark', () => play.move('bob', { landmark_id: 'atlantis' })],
  ['zone_locked', () => play.move('bob', { landmark_id: 'observatory' })],
  [
    'no_free_slot',
    async () => {
      await fillHome();
      return play.move('ada', { landmark_id: 'home-quince' });
    },
  ],
  ['slot_taken', () => play.move('ada', bed)],
  [
    'not_awake',
    async () => {
      await asleep();
      return play.move('fay', { dx: 1, dy: 0 });
    },
  ],
];

/** Repeats an act on an item that dawn has replaced meanwhile. */
const whileItLies = (act: () => ReturnType<typeof play.act>): ReturnType<typeof play.act> =>
  eventually('an act on an item that lies there', async () => {
    const outcome = await act();
    return !outcome.ok && outcome.problem.code === 'item_not_here' ? null : outcome;
  });

const ACTION_CASES: readonly (readonly [Refusal, ActionKind, Case])[] = [
  ['not_own_agent', 'talk', () => play.as('bob').raw.actAsAgent({ agent_id: 'ada', kind: 'talk', text: 'hi' })],
  ['no_such_agent', 'emote', () => play.admin.raw.actAsAgent({ ...UNKNOWN_AGENT, kind: 'emote', emote: 'wave' })],
  ['not_awake', 'emote', () => play.act('fay', { kind: 'emote', emote: 'wave' })],
  ['text_empty', 'talk', () => play.act('ada', { kind: 'talk', text: '  ' })],
  ['text_too_long', 'talk', () => play.act('ada', { kind: 'talk', text: LONG })],
  ['no_such_listener', 'talk', () => play.act('ada', { kind: 'talk', text: 'hi', to: 'nobody' })],
  [
    'out_of_earshot',
    'talk',
    async () => {
      await play.walk('cleo', { landmark_id: 'library' });
      return play.act('cleo', { kind: 'talk', text: 'hi', to: 'ada' });
    },
  ],
  ['item_not_here', 'pick_up', () => play.act('ada', { kind: 'pick_up', item_id: 'apple-999999' })],
  [
    'too_far',
    'pick_up',
    () =>
      whileItLies(async () => {
        const item = (await play.world()).items.find(({ position }) => position !== null);
        return play.act('ada', { kind: 'pick_up', item_id: item?.item_id ?? '' });
      }),
  ],
  [
    'inventory_full',
    'pick_up',
    async () => {
      for (let held = 0; held < 6; held += 1) await play.fetchItem('bob');
      return whileItLies(async () => {
        const more = (await play.world()).items.find(({ position }) => position !== null);
        await play.walk('bob', more?.position ?? { x: 0, y: 0 });
        return play.act('bob', { kind: 'pick_up', item_id: more?.item_id ?? '' });
      });
    },
  ],
  ['not_holding', 'drop', () => play.act('ada', { kind: 'drop', item_id: 'apple-999999' })],
  [
    'no_room_here',
    'drop',
    async () => {
      await play.walk('bob', { landmark_id: 'square' });
      const [first, second] = (await play.agent('bob')).inventory;
      dataOf(await play.act('bob', { kind: 'drop', item_id: first?.item_id ?? '' }));
      return play.act('bob', { kind: 'drop', item_id: second?.item_id ?? '' });
    },
  ],
  ['nothing_to_use', 'use', () => play.act('ada', { kind: 'use', target: 'telescope' })],
  ['not_at_board', 'use_board', () => play.act('ada', { kind: 'use_board', text: 'hello' })],
  ['text_too_long', 'use_board', () => play.act('ada', { kind: 'use_board', text: LONG })],
  [
    'board_content_limited',
    'use_board',
    () => play.act('cleo', { kind: 'use_board', text: 'https://a.example https://b.example https://c.example' }),
  ],
  [
    'board_rate_limited',
    'use_board',
    async () => {
      await fillHour('cleo');
      return play.act('cleo', { kind: 'use_board', text: 'one more' });
    },
  ],
  // The second of two emotes arrives within the 3 s of village time for which the first one shows. If the machine
  // stalls in between, the test tries another pair.
  [
    'emote_too_soon',
    'emote',
    () =>
      eventually('two emotes at once', async () => {
        const [, second] = await Promise.all([
          play.act('ada', { kind: 'emote', emote: 'wave' }),
          play.act('ada', { kind: 'emote', emote: 'nod' }),
        ]);
        return second.ok ? null : second;
      }),
  ],
];

function assertRefused(outcome: Outcome<unknown>, reason: Refusal): void {
  if (outcome.ok) assert.fail(`expected ${reason}, was accepted: ${JSON.stringify(outcome.data)}`);
  assert.equal(outcome.problem.code, reason, outcome.problem.detail);
  assert.equal(outcome.response.status, REFUSALS[reason].status);
  assert.equal(outcome.response.headers.get('content-type'), 'application/problem+json; charset=utf-8');
}

for (const [reason, run] of MOVE_CASES) test(`move: ${reason}`, async () => assertRefused(await run(), reason));
for (const [reason, kind, run] of ACTION_CASES)
  test(`action ${kind}: ${reason}`, async () => assertRefused(await run(), reason));

test('every refusal of a command has a test', () => {
  // `village_frozen`: in freeze-work.test.ts.
  const elsewhere: readonly Refusal[] = ['stale_cycle', 'village_frozen'];
  assert.deepEqual(
    moveAgent.reasons.filter(
      (reason) => !elsewhere.includes(reason) && !MOVE_CASES.some(([tested]) => tested === reason),
    ),
    [],
  );
  const missing = Object.entries(ACTION_REASONS).flatMap(([kind, reasons]) =>
    reasons
      .filter((reason) => !ACTION_CASES.some(([tested, of]) => tested === reason && of === kind))
      .map((reason) => `${kind}: ${reason}`),
  );
  assert.deepEqual(missing, []);
  assert.deepEqual(
    actAsAgent.reasons.filter(
      (reason) => !elsewhere.includes(reason) && !ACTION_CASES.some(([tested]) => tested === reason),
    ),
    [],
  );
});

test("every actor who may read the world may read an agent's surroundings; other parameters are ignored", async () => {
  const ask = async (query: string): Promise<unknown[]> => {
    const answer = await fetch(`${play.url}/world${query}`);
    assert.equal(answer.status, 200, query);
    return WorldView.parse(await answer.json()).agents.map(({ agent_id }) => agent_id);
  };
  assert.equal((await ask('?colour=blue')).length, AGENT_IDS.length);
  assert.equal((await ask('?around=bob&radius=1'))[0], 'bob');
  assert.deepEqual((await ask('?around=bob&radius=1&with=cleo')).slice(0, 2), ['bob', 'cleo']);
  assert.deepEqual(await ask('?around=nobody'), []);
  for (const query of ['radius=65', 'radius=0', 'radius=1.5', 'radius=1e9', 'around=Not%20a%20name'])
    assert.equal((await fetch(`${play.url}/world?around=bob&${query}`)).status, 400, query);
});
