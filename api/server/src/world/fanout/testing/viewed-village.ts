/** A village with viewers in memory, and the expected state of their copies of the world. */
import assert from 'node:assert/strict';
import type { WorldCommand, WorldEvent, WorldStateFrame } from '@hamlet/contract';
import {
  advance,
  aliveSlots,
  applyToView,
  cellOf,
  cellsOfWalk,
  createView,
  createWorld,
  decodeFrame,
  defaultMap,
  exactPositionAt,
  frameFromJson,
  itemId,
  reduce,
  restoreWorld,
  seesCell,
  snapshotWorld,
  validateCommand,
  viewAgents,
  viewItems,
  walkOf,
} from '@hamlet/core';
import type { View, WorldState } from '@hamlet/core';
import { Fanout } from '../fanout.ts';
import type { FrameFormat } from '../pressure.ts';
import type { Viewer } from '../viewer.ts';

export const map = defaultMap();

/** A socket that queues the messages sent to it; `deliver` passes them to the viewer's copy of the world. */
class FakeSocket {
  readonly view: View = createView(map);
  readonly queue: (Uint8Array | string)[] = [];
  bytes = 0;
  closed: { code: number; reason: string } | null = null;
  extraBuffered = 0;
  frames: WorldStateFrame[] = [];

  send(message: Uint8Array | string): void {
    this.queue.push(message);
    this.bytes += message.length;
  }

  get bufferedAmount(): number {
    return this.extraBuffered;
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  deliver(): void {
    for (const message of this.queue.splice(0)) {
      const frame = typeof message === 'string' ? frameFromJson(message) : decodeFrame(message);
      this.frames.push(frame);
      applyToView(this.view, frame);
    }
  }
}

/** A world with its writer, and a fan-out on a second copy that only events change, as in a replica. */
export class Village {
  readonly world: WorldState = createWorld(map, 7);
  replica = restoreWorld(map, snapshotWorld(this.world));
  readonly later: (() => void)[] = [];
  readonly fanout = new Fanout({ world: this.replica, epoch: 3, soon: (run) => this.later.push(run) });
  readonly log: WorldEvent[] = [];
  tick = 0;

  commit(events: readonly WorldEvent[]): void {
    for (const event of events) {
      this.log.push(event);
      this.fanout.commit(event);
    }
  }

  do(command: WorldCommand): boolean {
    const outcome = validateCommand(this.world, command, this.tick);
    if (!outcome.ok) return false;
    for (const event of outcome.events) reduce(this.world, event);
    this.commit(outcome.events);
    return true;
  }

  spawn(agentId: string, tier = 0): void {
    this.do({ kind: 'spawn', agent_id: agentId, display_name: agentId.toUpperCase(), tier, awake: true, online: true });
  }

  step(): void {
    this.tick += 1;
    this.commit(advance(this.world, this.tick));
    this.fanout.tick(this.tick);
    for (const run of this.later.splice(0)) run();
  }

  join(format: FrameFormat = 'binary'): { socket: FakeSocket; viewer: Viewer } {
    const socket = new FakeSocket();
    return { socket, viewer: this.fanout.attach(socket, { format }) };
  }
}

/** Shows a viewer a part of the map. */
export function look(
  viewer: Viewer,
  rect: { x: number; y: number; width?: number; height?: number; zoom?: string; pinned?: string[] },
): void {
  assert.ok(viewer.receive(JSON.stringify({ type: 'view', width: 40, height: 30, zoom: 'near', ...rect })));
}

/** Compares a viewer's copy with the world: exactly the agents whose path touches its cells, each in its exact place, with items. */
export function assertFaithful(village: Village, view: View): void {
  const { world, tick } = village;
  const expected = aliveSlots(world)
    .filter(
      (slot) => view.pinned.has(slot) || cellsOfWalk(map, walkOf(world, slot)).some((cell) => seesCell(view, cell)),
    )
    .map((slot) => ({
      agent: slot,
      agentId: world.agents.ids[slot],
      ...exactPositionAt(world, slot, tick),
      inventory: (world.agents.carried[slot] ?? []).map((n) => itemId(world.items.byNumber.get(n)?.kind ?? 'apple', n)),
    }));
  const seen = viewAgents(view, tick)
    .map(({ agent, agentId, x, y, inventory }) => ({
      agent,
      agentId,
      x,
      y,
      inventory: [...inventory].toSorted((a, b) => Number(a.split('-')[1]) - Number(b.split('-')[1])),
    }))
    .toSorted((a, b) => a.agent - b.agent);
  assert.deepEqual(seen, expected);
  const lying = [...world.items.byNumber.values()].filter(
    (item) => item.tile >= 0 && seesCell(view, cellOf(map, item.tile)),
  );
  assert.deepEqual(
    viewItems(view)
      .map(({ itemId: id }) => id)
      .toSorted(),
    lying.map((item) => itemId(item.kind, item.number)).toSorted(),
  );
}

export function randomDeed(village: Village, draw: (bound: number) => number): void {
  const { world } = village;
  const slots = aliveSlots(world);
  const slot = slots[draw(slots.length)] ?? 0;
  const agent_id = world.agents.ids[slot] ?? '';
  const landmark = map.landmarks[draw(map.landmarks.length)];
  const near = [...world.items.byNumber.values()].filter((item) => item.tile >= 0)[draw(20)];
  const held = world.agents.carried[slot]?.[0];
  const deeds: (() => void)[] = [
    () => village.do({ kind: 'move', agent_id, target: { landmark_id: landmark?.landmark_id ?? '' } }),
    () => village.do({ kind: 'move', agent_id, target: { dx: draw(60) - 30, dy: draw(60) - 30 } }),
    () => village.do({ kind: 'move', agent_id, target: { dx: draw(6) - 3, dy: draw(6) - 3 } }),
    () =>
      near !== undefined &&
      village.do({
        kind: 'move',
        agent_id,
        target: { x: near.tile % map.width, y: Math.floor(near.tile / map.width) },
      }),
    () => near !== undefined && village.do({ kind: 'pick_up', agent_id, item_id: itemId(near.kind, near.number) }),
    () =>
      held !== undefined &&
      village.do({ kind: 'drop', agent_id, item_id: itemId(world.items.byNumber.get(held)?.kind ?? 'apple', held) }),
    () =>
      village.do({ kind: 'use', agent_id, target: 'coffee' }) || village.do({ kind: 'use', agent_id, target: 'bread' }),
    () => village.do({ kind: 'talk', agent_id, text: `hello ${draw(100)}` }),
    () => village.do({ kind: 'emote', agent_id, emote: 'wave' }),
    () => village.do({ kind: 'state', agent_id, awake: draw(4) > 0 }),
    () => draw(6) === 0 && village.do({ kind: 'despawn', agent_id }),
    () => slots.length < 40 && village.spawn(`agent-${draw(60)}`),
  ];
  deeds[draw(deeds.length)]?.();
}
