import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INVENTORY_LIMIT, ITEM_KINDS, TICKS_PER_DAY, WORLD_REFUSALS } from '@hamlet/contract';
import type { WorldCommand, WorldEvent, WorldRefusal } from '@hamlet/contract';
import { defaultMap } from '../../map/village/default-map.ts';
import { tileIndex } from '../../map/path-tiles.ts';
import { advance } from '../advance.ts';
import { agentPlace, itemViews } from '../describe.ts';
import { near } from '../near.ts';
import { reduce } from '../reduce.ts';
import { createWorld, slotOf, type WorldState } from '../state/state.ts';
import { wakesOf } from '../wakes.ts';
import { validateCommand } from './validate-command.ts';

const map = defaultMap();

/** A world that carries out commands at once; time passes only in `wait`. */
class Scene {
  readonly world: WorldState = createWorld(map, 42);
  tick = 1;

  do(command: WorldCommand): WorldRefusal | readonly WorldEvent[] {
    const outcome = validateCommand(this.world, command, this.tick);
    if (!outcome.ok) return outcome.reason;
    for (const event of outcome.events) reduce(this.world, event);
    return outcome.events;
  }

  spawn(agentId: string, at: { x: number; y: number }, tier = 0): void {
    const home = 'home-elm';
    reduce(this.world, {
      seq: this.world.seq + 1,
      tick: this.tick,
      kind: 'spawn',
      agent_id: agentId,
      display_name: agentId,
      home,
      ...at,
      tier,
      awake: true,
      online: true,
    });
  }

  item(id: string, at: { x: number; y: number }): void {
    reduce(this.world, { seq: this.world.seq + 1, tick: this.tick, kind: 'item_spawn', item_id: id, ...at });
  }

  wait(ticks: number): readonly WorldEvent[] {
    this.tick += ticks;
    return advance(this.world, this.tick);
  }
}

function scene(): Scene {
  const made = new Scene();
  made.wait(0);
  made.spawn('ada', { x: 70, y: 61 });
  made.spawn('bob', { x: 74, y: 61 });
  return made;
}

const boardSlot = { x: 67, y: 55 };

/** Each reason with the scene that causes it. */
const REFUSED: { readonly [K in WorldRefusal]: (made: Scene) => WorldRefusal | readonly WorldEvent[] } = {
  no_such_agent: (made) => made.do({ kind: 'emote', agent_id: 'eve', emote: 'wave' }),
  world_full: (made) => {
    made.world.agents.firstFree = 65_535;
    made.world.agents.top = 65_535;
    return made.do({ kind: 'spawn', agent_id: 'eve', display_name: 'Eve', tier: 0, awake: true, online: true });
  },
  not_awake: (made) => {
    made.do({ kind: 'state', agent_id: 'ada', awake: false });
    return made.do({ kind: 'move', agent_id: 'ada', target: { dx: 1, dy: 0 } });
  },
  out_of_bounds: (made) => made.do({ kind: 'move', agent_id: 'ada', target: { x: map.width, y: 3 } }),
  unreachable: (made) => made.do({ kind: 'move', agent_id: 'ada', target: { x: 71, y: 63 } }),
  no_such_landmark: (made) => made.do({ kind: 'move', agent_id: 'ada', target: { landmark_id: 'moon' } }),
  no_free_slot: (made) => {
    for (let n = 0; n < 8; n += 1) {
      made.spawn(`crowd-${n}`, { x: 60, y: 64 });
      made.do({ kind: 'move', agent_id: `crowd-${n}`, target: { landmark_id: 'board' } });
    }
    return made.do({ kind: 'move', agent_id: 'ada', target: { landmark_id: 'board' } });
  },
  slot_taken: (made) => {
    made.do({ kind: 'move', agent_id: 'bob', target: boardSlot });
    return made.do({ kind: 'move', agent_id: 'ada', target: boardSlot });
  },
  zone_locked: (made) => made.do({ kind: 'move', agent_id: 'ada', target: { landmark_id: 'laboratory' } }),
  too_far: (made) => {
    made.item('apple-900', { x: 76, y: 70 });
    return made.do({ kind: 'pick_up', agent_id: 'ada', item_id: 'apple-900' });
  },
  item_not_here: (made) => made.do({ kind: 'pick_up', agent_id: 'ada', item_id: 'apple-999' }),
  inventory_full: (made) => {
    for (let n = 0; n <= INVENTORY_LIMIT; n += 1) {
      made.item(`book-${900 + n}`, { x: 70, y: 61 });
      const answer = made.do({ kind: 'pick_up', agent_id: 'ada', item_id: `book-${900 + n}` });
      if (typeof answer === 'string') return answer;
    }
    return [];
  },
  not_holding: (made) => made.do({ kind: 'drop', agent_id: 'ada', item_id: 'apple-1' }),
  no_room_here: (made) => {
    made.item('apple-900', { x: 70, y: 61 });
    made.do({ kind: 'pick_up', agent_id: 'ada', item_id: 'apple-900' });
    made.item('apple-901', { x: 70, y: 61 });
    return made.do({ kind: 'drop', agent_id: 'ada', item_id: 'apple-900' });
  },
  not_at_board: (made) => made.do({ kind: 'use_board', agent_id: 'ada' }),
  nothing_to_use: (made) => made.do({ kind: 'use', agent_id: 'ada', target: 'coffee' }),
  text_empty: (made) => made.do({ kind: 'talk', agent_id: 'ada', text: '  ' }),
  text_too_long: (made) => made.do({ kind: 'talk', agent_id: 'ada', text: 'x'.repeat(281) }),
  no_such_listener: (made) => made.do({ kind: 'talk', agent_id: 'ada', text: 'hello', to: 'eve' }),
  out_of_earshot: (made) => {
    made.spawn('far', { x: 20, y: 63 });
    return made.do({ kind: 'talk', agent_id: 'ada', text: 'hello', to: 'far' });
  },
  emote_too_soon: (made) => {
    made.do({ kind: 'emote', agent_id: 'ada', emote: 'wave' });
    return made.do({ kind: 'emote', agent_id: 'ada', emote: 'nod' });
  },
};

for (const reason of Object.keys(WORLD_REFUSALS) as WorldRefusal[]) {
  test(`refuses with ${reason}`, () => {
    const made = scene();
    assert.equal(REFUSED[reason](made), reason);
  });
}

test('a walk to a landmark reserves a slot, ends there, and wakes the arrived agent and those it meets', () => {
  const made = scene();
  const [move] = made.do({ kind: 'move', agent_id: 'ada', target: { landmark_id: 'board' } });
  assert.ok(typeof move === 'object' && move.kind === 'move');
  assert.equal(agentPlace(made.world, 'ada', made.tick)?.moving_to?.landmark_id, 'board');
  made.do({ kind: 'move', agent_id: 'bob', target: { landmark_id: 'board' } });
  const arrivals = made.wait(200).filter((event) => event.kind === 'arrive');
  assert.deepEqual(arrivals.map((event) => event.agent_id).toSorted(), ['ada', 'bob']);
  assert.equal(agentPlace(made.world, 'ada', made.tick)?.landmark_id, 'board');
  const wakes = arrivals
    .flatMap((event) => wakesOf(made.world, event))
    .map(({ agent_id, wake }) => `${agent_id} ${wake.kind}`);
  assert.deepEqual(new Set(wakes), new Set(['ada arrived', 'bob arrived', 'ada met', 'bob met']));
  const [used] = made.do({ kind: 'use_board', agent_id: 'ada', text: 'Lost: one spade' });
  assert.ok(typeof used === 'object' && used.kind === 'use_board' && used.text === 'Lost: one spade');
  assert.equal(agentPlace(made.world, 'ada', made.tick)?.activity, 'at_board');
});

test('an agent that turns round during a walk does so at the next tile', () => {
  const made = scene();
  made.do({ kind: 'move', agent_id: 'ada', target: { x: 60, y: 61 } });
  made.wait(6);
  const [turn] = made.do({ kind: 'move', agent_id: 'ada', target: { x: 72, y: 61 } });
  assert.ok(typeof turn === 'object' && turn.kind === 'move');
  assert.deepEqual(
    { from: turn.from, start: turn.start_tick, lead: turn.lead },
    { from: { x: 68, y: 61 }, start: 9, lead: 4 },
  );
});

test('speech wakes agents within earshot: near ones, or only the addressed one, and in a quiet zone only the nearest', () => {
  const made = scene();
  made.spawn('cara', { x: 80, y: 61 });
  const listenersOf = (command: WorldCommand): string[] => {
    const [event] = made.do(command);
    return typeof event === 'object' ? wakesOf(made.world, event).map((woken) => woken.agent_id) : [];
  };
  assert.deepEqual(listenersOf({ kind: 'talk', agent_id: 'ada', text: 'Good morning' }), ['bob']);
  assert.deepEqual(listenersOf({ kind: 'talk', agent_id: 'bob', text: 'Ada?', to: 'ada' }), ['ada']);
  made.spawn('dan', { x: 55, y: 43 });
  made.spawn('eli', { x: 58, y: 43 });
  assert.deepEqual(listenersOf({ kind: 'talk', agent_id: 'dan', text: 'psst' }), []);
});

test('an agent drops an item and another picks it up', () => {
  const made = scene();
  made.spawn('cara', { x: 71, y: 61 });
  made.item('apple-900', { x: 70, y: 60 });
  made.do({ kind: 'pick_up', agent_id: 'ada', item_id: 'apple-900' });
  assert.deepEqual(agentPlace(made.world, 'ada', made.tick)?.inventory, [{ item_id: 'apple-900', kind: 'apple' }]);
  const [drop] = made.do({ kind: 'drop', agent_id: 'ada', item_id: 'apple-900' });
  assert.ok(typeof drop === 'object');
  assert.deepEqual(
    wakesOf(made.world, drop).map(({ agent_id, wake }) => [agent_id, wake.kind]),
    [
      ['cara', 'handed'],
      ['bob', 'item_seen'],
    ],
  );
  made.do({ kind: 'pick_up', agent_id: 'cara', item_id: 'apple-900' });
  made.do({ kind: 'use', agent_id: 'cara', target: 'apple-900' });
  assert.equal(agentPlace(made.world, 'cara', made.tick)?.activity, 'eating');
  assert.equal(
    itemViews(made.world).some((item) => item.item_id === 'apple-900'),
    false,
  );
});

test('a dropped item is handed to the nearest agent in reach, and only to that one', () => {
  const wakesAfterDrop = (...others: readonly { x: number; y: number }[]): readonly string[] => {
    const made = scene();
    others.forEach((at, index) => made.spawn(`other-${index}`, at));
    made.item('apple-900', { x: 70, y: 60 });
    made.do({ kind: 'pick_up', agent_id: 'ada', item_id: 'apple-900' });
    const [drop] = made.do({ kind: 'drop', agent_id: 'ada', item_id: 'apple-900' });
    return typeof drop === 'object' ? wakesOf(made.world, drop).map(({ wake }) => wake.kind) : [];
  };
  assert.deepEqual(wakesAfterDrop({ x: 71, y: 61 }, { x: 70, y: 60 }), ['handed', 'item_seen', 'item_seen']);
  assert.deepEqual(wakesAfterDrop({ x: 72, y: 61 }), ['item_seen', 'item_seen']);
});

test('food, drink and wood are used up; a flower, a book and a tool stay', () => {
  const kept = ITEM_KINDS.filter((kind) => {
    const made = scene();
    const item = `${kind}-900`;
    made.item(item, { x: 70, y: 60 });
    made.do({ kind: 'pick_up', agent_id: 'ada', item_id: item });
    made.do({ kind: 'use', agent_id: 'ada', target: item });
    assert.notEqual(agentPlace(made.world, 'ada', made.tick)?.activity, 'idle', kind);
    return itemViews(made.world).some(({ item_id }) => item_id === item);
  });
  assert.deepEqual(kept.toSorted(), ['book', 'flower', 'tool']);
});

test('an agent gets coffee at the café', () => {
  const made = scene();
  made.do({ kind: 'move', agent_id: 'ada', target: { landmark_id: 'cafe' } });
  made.wait(400);
  const [use] = made.do({ kind: 'use', agent_id: 'ada', target: 'cafe' });
  assert.ok(typeof use === 'object' && use.kind === 'use' && use.activity === 'drinking_coffee' && use.gives !== null);
  assert.equal(agentPlace(made.world, 'ada', made.tick)?.inventory[0]?.kind, 'coffee');
});

test('a repeated spawn or despawn changes nothing; carried items stay in the world', () => {
  const made = scene();
  const born = { kind: 'spawn', agent_id: 'eve', display_name: 'Eve', tier: 1, awake: true, online: false } as const;
  assert.equal(made.do(born).length, 1);
  assert.equal(made.do(born).length, 0);
  assert.deepEqual(made.do({ ...born, online: true }), [
    { seq: made.world.seq, tick: made.tick, kind: 'state', agent_id: 'eve', online: true },
  ]);
  const home = agentPlace(made.world, 'eve', made.tick);
  assert.equal(map.landmarks[map.landmarkIndex.get(home?.home ?? '') ?? -1]?.kind, 'home');
  assert.equal(home?.landmark_id, home?.home, 'an agent wakes up at home');
  made.item('book-900', { x: home?.position.x ?? 0, y: home?.position.y ?? 0 });
  made.do({ kind: 'pick_up', agent_id: 'eve', item_id: 'book-900' });
  assert.equal(made.do({ kind: 'despawn', agent_id: 'eve' }).length, 1);
  assert.equal(made.do({ kind: 'despawn', agent_id: 'eve' }).length, 0);
  assert.equal(slotOf(made.world, 'eve'), -1);
  assert.deepEqual(itemViews(made.world).find((item) => item.item_id === 'book-900')?.position, home?.position);
});

test('24 agents without a requested home get a bed each', () => {
  const made = new Scene();
  for (let n = 0; n < 24; n += 1)
    made.do({ kind: 'spawn', agent_id: `r-${n}`, display_name: 'R', tier: 0, awake: true, online: true });
  const places = Array.from({ length: 24 }, (_, n) => agentPlace(made.world, `r-${n}`, made.tick)?.position);
  assert.equal(new Set(places.map((place) => (place === undefined ? -1 : tileIndex(map, place)))).size, 24);
});

test('at dawn new items grow, and items on the ground are removed', () => {
  const made = scene();
  const first = itemViews(made.world);
  assert.ok(first.some((item) => item.kind === 'apple') && first.some((item) => item.kind === 'book'));
  made.wait(TICKS_PER_DAY - 2);
  assert.deepEqual(itemViews(made.world), first);
  const events = made.wait(1);
  assert.ok(
    events.some((event) => event.kind === 'item_remove') && events.some((event) => event.kind === 'item_spawn'),
  );
  assert.equal(
    itemViews(made.world).some((item) => first.some((old) => old.item_id === item.item_id)),
    false,
  );
});

test('nearby agents are listed nearest first', () => {
  const made = scene();
  assert.deepEqual(near(made.world, { x: 73, y: 61 }, { radius: 3, tick: made.tick }), ['bob', 'ada']);
  assert.deepEqual(near(made.world, { x: 73, y: 61 }, { radius: 2, tick: made.tick }), ['bob']);
});
