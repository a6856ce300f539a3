import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentSpec, AROUND_MAX_AGENTS, AROUND_MAX_TILES, TICKS_PER_TILE } from '@hamlet/contract';
import type { WorldCommand, WorldView } from '@hamlet/contract';
import { createWorld, defaultMap, reduce, validateCommand } from '@hamlet/core';
import type { PresenceRow } from '@hamlet/store';
import type { AgentRecord } from '../agents/agent-source.ts';
import { createCurrentWorld, worldAround } from './current-world.ts';

const NOW = new Date(0);

const recordOf = (power: 'Awake' | 'Asleep'): AgentRecord => ({
  agentId: 'ada',
  uid: 'uid-1',
  createdAt: NOW.toISOString(),
  deleting: false,
  status: {},
  spec: AgentSpec.parse({ power }),
});

const rowOf = (connected: boolean): PresenceRow => ({
  agentId: 'ada',
  uid: 'uid-1',
  cycle: 1,
  replicaId: 'here',
  streamNo: 1,
  connected,
  lastSeen: NOW,
});

/** A replica with the agent ada, whose data a test changes in the ways that production code does. */
class Village {
  readonly replica = { world: createWorld(defaultMap(), 7), epoch: 1 };
  readonly #receivers: (() => void)[] = [];
  #record: AgentRecord | null = null;
  #row: PresenceRow | null = null;
  readonly at: (tick: number) => WorldView = this.reader();

  #ports(): Parameters<typeof createCurrentWorld>[0] {
    const onChange = (listener: () => void): void => void this.#receivers.push(listener);
    const source = { get: (agentId: string) => (agentId === 'ada' ? this.#record : null), onChange };
    return {
      replica: this.replica,
      source,
      presence: { get: (agentId) => (agentId === 'ada' ? this.#row : null), onChange },
    };
  }

  /** A reader that has not answered a call yet. */
  reader(): (tick: number) => WorldView {
    return createCurrentWorld(this.#ports());
  }

  around(tick: number, look: { readonly around: string; readonly radius: number; readonly with?: string }): WorldView {
    return worldAround(tick, look, this.#ports());
  }

  act(command: WorldCommand, tick: number): void {
    const outcome = validateCommand(this.replica.world, command, tick);
    assert.ok(outcome.ok, JSON.stringify(outcome));
    for (const event of outcome.events) reduce(this.replica.world, event);
  }

  know(record: AgentRecord | null, row: PresenceRow | null): void {
    [this.#record, this.#row] = [record, row];
    for (const listener of this.#receivers) listener();
  }

  /** Asks twice, and compares the answers with that of a fresh reader. */
  reported(tick: number): WorldView {
    const view = this.at(tick);
    assert.equal(this.at(tick), view, 'while nothing changes, calls return the same object');
    assert.deepEqual(view, this.reader()(tick));
    return view;
  }
}

const SPAWN: WorldCommand = {
  kind: 'spawn',
  agent_id: 'ada',
  display_name: 'Ada',
  tier: 1,
  awake: true,
  online: false,
};

test('every change shows at once: a tick, an event, another writer, a record, a presence', () => {
  const village = new Village();
  assert.deepEqual(village.reported(1).agents, []);
  village.act(SPAWN, 1);
  const [arrived] = village.reported(1).agents;
  assert.deepEqual([arrived?.agent_id, arrived?.power, arrived?.status.health], ['ada', 'Awake', 'unreachable']);
  village.act({ kind: 'talk', agent_id: 'ada', text: 'Good morning' }, 1);
  assert.equal(village.reported(1).agents[0]?.speech?.text, 'Good morning');
  village.know(recordOf('Awake'), rowOf(true));
  assert.equal(village.reported(1).agents[0]?.status.health, 'healthy');
  village.know(recordOf('Awake'), rowOf(false));
  assert.equal(village.reported(1).agents[0]?.status.online, false);
  village.know(recordOf('Asleep'), rowOf(false));
  assert.equal(village.reported(1).agents[0]?.power, 'Asleep');
  village.replica.epoch = 2;
  assert.equal(village.reported(1).epoch, 2);
  assert.equal(village.reported(2).tick, 2);
  village.act({ kind: 'despawn', agent_id: 'ada' }, 2);
  assert.deepEqual(village.reported(2).agents, []);
});

test('a walking agent is at another place at every tick, without an event in between', () => {
  const village = new Village();
  village.act(SPAWN, 1);
  village.act({ kind: 'move', agent_id: 'ada', target: { dx: 1, dy: 0 } }, 1);
  const moves = Array.from({ length: TICKS_PER_TILE + 1 }, (_, index) => village.reported(1 + index));
  assert.equal(new Set(moves.map(({ seq }) => seq)).size, 1);
  assert.equal(moves[0]?.agents[0]?.activity, 'walking');
  assert.equal(moves.at(-1)?.agents[0]?.moving_to, null, 'it has arrived');
});

test('the surroundings of an agent match the whole village: the agent first, and no distant agents', () => {
  const village = new Village();
  const ids = ['ada', 'bob', 'cleo', 'dan'];
  for (const agent_id of ids) village.act({ ...SPAWN, agent_id, display_name: agent_id }, 1);
  village.act({ kind: 'move', agent_id: 'dan', target: { landmark_id: 'forest' } }, 1);
  const tick = 3_000;
  const whole = village.at(tick);
  const around = (look: { readonly around: string; readonly radius: number; readonly with?: string }): WorldView =>
    village.around(tick, look);
  const place = (agentId: string): { readonly x: number; readonly y: number } =>
    whole.agents.find(({ agent_id }) => agent_id === agentId)?.position ?? { x: 0, y: 0 };
  const far = Math.max(Math.abs(place('ada').x - place('dan').x), Math.abs(place('ada').y - place('dan').y));
  const near = around({ around: 'ada', radius: far - 1 });
  assert.equal(near.agents[0]?.agent_id, 'ada');
  assert.equal(
    near.agents.some(({ agent_id }) => agent_id === 'dan'),
    false,
  );
  assert.deepEqual(
    around({ around: 'ada', radius: far }).agents.at(-1)?.agent_id,
    'dan',
    'an agent at the edge of the radius is included',
  );
  assert.deepEqual(
    around({ around: 'ada', radius: 1, with: 'dan' })
      .agents.map(({ agent_id }) => agent_id)
      .slice(0, 2),
    ['ada', 'dan'],
  );
  assert.deepEqual(
    around({ around: 'ada', radius: 1, with: 'ada' }).agents.filter(({ agent_id }) => agent_id === 'ada').length,
    1,
  );
  for (const agent of near.agents)
    assert.deepEqual(
      agent,
      whole.agents.find(({ agent_id }) => agent_id === agent.agent_id),
    );
  const { agents: _, items: __, ...rest } = near;
  const { agents: ___, items: ____, ...all } = whole;
  assert.deepEqual(rest, all);
  const missing = around({ around: 'zoe', radius: 64 });
  assert.deepEqual([missing.agents, missing.items], [[], []]);
});

test('a crowd around an agent is cut at a limit, nearest first', () => {
  const village = new Village();
  for (let index = 0; index < 300; index += 1)
    village.act({ ...SPAWN, agent_id: `agent-${index}`, display_name: 'Agent' }, 1);
  const { agents } = village.around(1, { around: 'agent-7', radius: AROUND_MAX_TILES });
  assert.equal(agents.length, AROUND_MAX_AGENTS);
  const self = agents[0]?.position ?? { x: 0, y: 0 };
  const distances = agents.map(({ position: { x, y } }) => Math.max(Math.abs(x - self.x), Math.abs(y - self.y)));
  assert.deepEqual(
    distances,
    distances.toSorted((a, b) => a - b),
  );
});
