import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceFaults } from '@hamlet/test/env/sentence-faults';
import { aSituation, type Seen } from '../../testing/a-situation.ts';
import { AT, LANDMARKS } from '../../testing/a-village.ts';
import { decide, settle } from '../rules/decide.ts';
import { NEWBORN } from '../mind.ts';
import type { BoardSight, Situation } from '../situation.ts';
import { VISITS_BEFORE_WONDER, WONDER_GAP_TICKS, wonderOf } from './curiosity.ts';
import { isWonder, nextRequest } from './help-request.ts';

const TICK = 50_000;
const TOWER = {
  landmark_id: 'tower',
  name: 'Tower',
  kind: 'observatory',
  position: AT.library,
  slots: [AT.library],
  affordances: ['stargaze'],
  unlocked_by: 'tier-2',
} as const;
const VISITED = ['cafe', 'market'];
const SIGHT: BoardSight = {
  news: [],
  nextAfter: null,
  judged: [],
  entry: null,
  balance: null,
  requests: [],
  plan: null,
};

type Given = Seen & { asked?: Record<string, number>; tier?: string | null; locked?: boolean };

function situation({ self, mind, asked = {}, tier = 'tier-0', locked = true, ...given }: Given = {}): Situation {
  const tower = { ...TOWER, slots: [...TOWER.slots], affordances: [...TOWER.affordances] };
  return aSituation({
    tick: TICK,
    ...given,
    world: { landmarks: [...LANDMARKS, ...(locked ? [tower] : [])] },
    self: { landmark_id: 'square', ...self },
    standing: { tier },
    board: SIGHT,
    mind: { delivered: true, visited: VISITED, ...mind, board: { ...NEWBORN.board, asked } },
  });
}

const apple = (x: number) =>
  ({ item_id: 'apple-1', kind: 'apple', position: { x: AT.square.x + x, y: 2 }, held_by: null }) as const;

test('a question about a place of a higher tier states true facts', () => {
  const wonder = wonderOf(situation());
  assert.deepEqual(wonder, {
    subject: 'wonder place tower',
    audience: 'public',
    title: wonder?.title,
    facts: 'The Tower opens with tier-2, and I am in tier-0.',
  });
  assert.match(wonder?.title ?? '', /^(What|Has) .*Tower.*\?$/);
  assert.equal(wonderOf(situation({ tier: 'tier-1' }))?.facts, 'The Tower opens with tier-2, and I am in tier-1.');
  assert.equal(wonderOf(situation({ tier: null }))?.facts, 'The Tower opens with tier-2, and I am in no tier.');
  for (const tier of ['tier-2', 'tier-3']) assert.equal(wonderOf(situation({ tier })), null, tier);
});

test('different agents word a question about the same place differently', () => {
  const now = situation();
  const titles = Array.from(
    { length: 40 },
    (_, seed) => wonderOf({ ...now, character: { ...now.character, seed } })?.title,
  );
  assert.equal(new Set(titles).size, 4);
});

test('the agent asks about an item near it, and not about a distant one', () => {
  const near = wonderOf(situation({ locked: false, items: [apple(12)] }));
  assert.deepEqual([near?.subject, near?.title], ['wonder item apple-1', 'Whose is the apple near the square?']);
  assert.equal(wonderOf(situation({ locked: false, items: [apple(13)] })), null);
  assert.match(
    wonderOf(situation({ locked: false, items: [apple(1)], self: { landmark_id: null } }))?.title ?? '',
    /near me\?$/,
  );
});

test('every question consists of whole sentences', () => {
  for (const wonder of [
    wonderOf(situation()),
    wonderOf(situation({ tier: null })),
    wonderOf(situation({ locked: false, items: [apple(1)] })),
    wonderOf(situation({ locked: false, items: [apple(1)], self: { landmark_id: null } })),
  ]) {
    assert.ok(wonder !== null);
    assert.deepEqual([...sentenceFaults(wonder.title), ...sentenceFaults(wonder.facts)], []);
  }
});

test('the agent asks once an hour, and never again about the same thing', () => {
  const items = [apple(1)];
  const asked = (at: number): Record<string, number> => ({ 'wonder place tower': at });
  assert.equal(wonderOf(situation({ items, asked: asked(TICK - WONDER_GAP_TICKS + 1) })), null);
  assert.equal(wonderOf(situation({ items, asked: asked(TICK - WONDER_GAP_TICKS) }))?.subject, 'wonder item apple-1');
  assert.equal(wonderOf(situation({ asked: asked(0) })), null);
  assert.notEqual(
    wonderOf(situation({ asked: { 'run r1': TICK } })),
    null,
    'help requests are independent of questions out of curiosity',
  );
});

test('the agent asks nothing at night, on its way, or before it has used two places', () => {
  assert.equal(wonderOf(situation({ minute: 100 })), null);
  assert.equal(wonderOf(situation({ minute: 1_400 })), null);
  assert.equal(
    wonderOf(situation({ self: { moving_to: { ...AT.cafe, landmark_id: 'cafe', arrives_tick: TICK + 9 } } })),
    null,
  );
  assert.equal(wonderOf(situation({ mind: { visited: VISITED.slice(0, VISITS_BEFORE_WONDER - 1) } })), null);
});

test('a question out of curiosity is public, and does not delay help requests', () => {
  const now = situation({ minute: 1_120, mind: { visited: [...VISITED, 'square'] } });
  const decided = decide(now);
  assert.ok(decided.command.kind === 'post');
  assert.deepEqual(
    [decided.command.title, decided.command.audience, decided.command.tags],
    [wonderOf(situation())?.title, 'public', ['question']],
  );
  assert.deepEqual(sentenceFaults(decided.command.occasion.fallback), []);
  const { board } = settle(now, decided, { accepted: true, final: false });
  assert.deepEqual(Object.keys(board.asked), ['wonder place tower']);
  const need = { subject: 'run r1', audience: 'humans', title: 'x', facts: 'y' } as const;
  assert.equal(nextRequest([need], board.asked, TICK + 1), need);
  assert.deepEqual([isWonder('wonder x'), isWonder('run wonder')], [true, false]);
});

test('runs and people have priority over questions', () => {
  assert.notEqual(decide({ ...situation(), work: 'a run' }).command.kind, 'post');
  assert.notEqual(decide({ ...situation(), board: null }).command.kind, 'post');
});
