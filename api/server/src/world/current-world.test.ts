import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentSpec, TICKS_PER_TILE } from '@hamlet/contract';
import type { WorldCommand, WorldView } from '@hamlet/contract';
import { createWorld, defaultMap, reduce, validateCommand } from '@hamlet/core';
import type { PresenceRow } from '@hamlet/store';
import type { AgentRecord } from '../agents/agent-source.ts';
import { createCurrentWorld } from './current-world.ts';

const NOW = new Date(0);

const recordOf = (power: 'Awake' | 'Asleep'): AgentRecord => ({
  agentId: 'ada', uid: 'uid-1', createdAt: NOW.toISOString(), deleting: false, status: {}, spec: AgentSpec.parse({ power }),
});

const rowOf = (connected: boolean): PresenceRow => ({ agentId: 'ada', uid: 'uid-1', cycle: 1, replicaId: 'here', streamNo: 1, connected, lastSeen: NOW });

/** A replica and what it knows of the agent ada, which a test changes as the real ones are changed. */
class Village {
  readonly replica = { world: createWorld(defaultMap(), 7), epoch: 1 };
  readonly #hearers: (() => void)[] = [];
  #record: AgentRecord | null = null;
  #row: PresenceRow | null = null;
  readonly at = this.reader();

  /** A reader that has told nobody anything yet. */
  reader(): (tick: number) => WorldView {
    const onChange = (hear: () => void): void => void this.#hearers.push(hear);
    const source = { get: (agentId: string) => (agentId === 'ada' ? this.#record : null), onChange };
    return createCurrentWorld({ replica: this.replica, source, presence: { get: (agentId) => (agentId === 'ada' ? this.#row : null), onChange } });
  }

  act(command: WorldCommand, tick: number): void {
    const outcome = validateCommand(this.replica.world, command, tick);
    assert.ok(outcome.ok, JSON.stringify(outcome));
    for (const event of outcome.events) reduce(this.replica.world, event);
  }

  know(record: AgentRecord | null, row: PresenceRow | null): void {
    [this.#record, this.#row] = [record, row];
    for (const hear of this.#hearers) hear();
  }

  /** Asks twice, and holds what is told to what one is told who never asked before. */
  told(tick: number): WorldView {
    const view = this.at(tick);
    assert.equal(this.at(tick), view, 'nothing has changed: the same object');
    assert.deepEqual(view, this.reader()(tick));
    return view;
  }
}

const SPAWN: WorldCommand = { kind: 'spawn', agent_id: 'ada', display_name: 'Ada', tier: 1, awake: true, online: false };

test('every change is told at once: a tick, an event, another writer, a record, a presence', () => {
  const village = new Village();
  assert.deepEqual(village.told(1).agents, []);
  village.act(SPAWN, 1);
  const [arrived] = village.told(1).agents;
  assert.deepEqual([arrived?.agent_id, arrived?.power, arrived?.status.health], ['ada', 'Awake', 'unreachable']);
  village.act({ kind: 'talk', agent_id: 'ada', text: 'Good morning' }, 1);
  assert.equal(village.told(1).agents[0]?.speech?.text, 'Good morning');
  village.know(recordOf('Awake'), rowOf(true));
  assert.equal(village.told(1).agents[0]?.status.health, 'healthy');
  village.know(recordOf('Awake'), rowOf(false));
  assert.equal(village.told(1).agents[0]?.status.online, false);
  village.know(recordOf('Asleep'), rowOf(false));
  assert.equal(village.told(1).agents[0]?.power, 'Asleep');
  village.replica.epoch = 2;
  assert.equal(village.told(1).epoch, 2);
  assert.equal(village.told(2).tick, 2);
  village.act({ kind: 'despawn', agent_id: 'ada' }, 2);
  assert.deepEqual(village.told(2).agents, []);
});

test('who walks is at another place at every tick, with no event between', () => {
  const village = new Village();
  village.act(SPAWN, 1);
  village.act({ kind: 'move', agent_id: 'ada', target: { dx: 1, dy: 0 } }, 1);
  const moves = Array.from({ length: TICKS_PER_TILE + 1 }, (_, index) => village.told(1 + index));
  assert.equal(new Set(moves.map(({ seq }) => seq)).size, 1);
  assert.equal(moves[0]?.agents[0]?.activity, 'walking');
  assert.equal(moves.at(-1)?.agents[0]?.moving_to, null, 'it has arrived');
});
