import { EMOTES } from '@hamlet/contract';
import type { WorldCommand, WorldEvent } from '@hamlet/contract';
import { drawBelow } from '../prng.ts';
import { advance } from './advance.ts';
import { validateCommand } from './command/validate-command.ts';
import { aliveSlots } from './describe.ts';
import { itemId } from './item-table.ts';
import { reduce } from './reduce.ts';
import type { WorldState } from './state.ts';

const NAMES = 40;
const WAYS = 30;

/** Numbers in a row from one seed. */
export type Draw = (bound: number) => number;

export function drawsOf(seed: number): Draw {
  let drawn = 0;
  return (bound) => {
    drawn += 1;
    return drawBelow(bound, seed, drawn);
  };
}

/** A command somebody might send at any time, sensible or not: for tests that must hold whatever is sent. */
export function randomCommand(world: WorldState, draw: Draw): WorldCommand {
  const slots = aliveSlots(world);
  const agent_id = draw(20) === 0 ? 'nobody' : (world.agents.ids[slots[draw(slots.length)] ?? 0] ?? 'nobody');
  const items = [...world.items.byNumber.values()];
  const item = items[draw(items.length)];
  const item_id = item === undefined ? 'apple-0' : itemId(item.kind, item.number);
  const landmark = world.map.landmarks[draw(world.map.landmarks.length)];
  const fresh = `agent-${draw(NAMES)}`;
  const target = [landmark?.landmark_id ?? 'nowhere', landmark?.affordances[0] ?? 'sit', item_id][draw(3)] ?? 'sit';
  const commands: WorldCommand[] = [
    { kind: 'spawn', agent_id: fresh, display_name: fresh, tier: draw(3), awake: draw(5) > 0, online: true },
    { kind: 'despawn', agent_id: draw(4) === 0 ? agent_id : 'nobody' },
    { kind: 'state', agent_id, awake: draw(4) > 0, tier: draw(3) },
    { kind: 'move', agent_id, target: { landmark_id: landmark?.landmark_id ?? 'nowhere' } },
    { kind: 'move', agent_id, target: { dx: draw(WAYS) - WAYS / 2, dy: draw(WAYS) - WAYS / 2 } },
    { kind: 'move', agent_id, target: { x: item === undefined ? 3 : item.tile % world.map.width, y: Math.floor((item?.tile ?? 0) / world.map.width) } },
    { kind: 'talk', agent_id, text: 'x'.repeat(draw(300)), ...(draw(2) === 0 && { to: fresh }) },
    { kind: 'pick_up', agent_id, item_id },
    { kind: 'drop', agent_id, item_id },
    { kind: 'use', agent_id, target },
    { kind: 'use_board', agent_id },
    { kind: 'emote', agent_id, emote: EMOTES[draw(EMOTES.length)] ?? 'wave' },
  ];
  return commands[draw(commands.length)] ?? { kind: 'despawn', agent_id };
}

/** Runs a world for some steps of a random length and hands every event to `seen` after it is reduced. */
export function runRandomly(world: WorldState, run: { draw: Draw; steps: number; seen: (event: WorldEvent) => void }): number {
  const { draw, steps, seen } = run;
  let tick = world.tick;
  for (let step = 0; step < steps; step += 1) {
    tick += draw(12);
    for (const event of advance(world, tick)) seen(event);
    const outcome = validateCommand(world, randomCommand(world, draw), tick);
    if (!outcome.ok) continue;
    for (const event of outcome.events) {
      reduce(world, event);
      seen(event);
    }
  }
  return tick;
}
