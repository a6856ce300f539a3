import { EMOTES, type Landmark, type WorldCommand, type WorldEvent } from '@hamlet/contract';
import { drawBelow } from '../../bytes/prng.ts';
import { advance } from '../advance.ts';
import { validateCommand } from '../command/validate-command.ts';
import { aliveSlots, itemViews } from '../describe.ts';
import { reduce } from '../reduce.ts';
import type { WorldState } from '../state/state.ts';

const NAMES = 40;
const WAYS = 30;
const UNKNOWN_AGENT = 'nobody';

/** Draws the next number below `bound` of a seeded sequence. */
export type Draw = (bound: number) => number;

export function drawsOf(seed: number): Draw {
  let drawn = 0;
  return (bound) => {
    drawn += 1;
    return drawBelow(bound, seed, drawn);
  };
}

/** Parts of a random command. */
interface Subjects {
  readonly agent_id: string;
  readonly fresh: string;
  readonly item_id: string;
  readonly tile: { readonly x: number; readonly y: number };
  readonly landmark: Landmark;
}

function randomSubjects(world: WorldState, draw: Draw): Subjects {
  const ids = aliveSlots(world).map((slot) => world.agents.ids[slot] ?? UNKNOWN_AGENT);
  const items = itemViews(world);
  const item = items[draw(items.length)];
  const landmark = world.map.landmarks[draw(world.map.landmarks.length)];
  if (landmark === undefined) throw new Error('the map has no landmarks');
  const agent_id = draw(20) === 0 ? UNKNOWN_AGENT : (ids[draw(ids.length)] ?? UNKNOWN_AGENT);
  return {
    agent_id,
    fresh: `agent-${draw(NAMES)}`,
    item_id: item?.item_id ?? 'apple-0',
    tile: item?.position ?? { x: 3, y: 3 },
    landmark,
  };
}

/** A random command, valid or not, for tests of the world's invariants. */
function randomCommand(world: WorldState, draw: Draw): WorldCommand {
  const { agent_id, fresh, item_id, tile, landmark } = randomSubjects(world, draw);
  const target = [landmark.landmark_id, landmark.affordances[0], item_id][draw(3)] ?? 'sit';
  const commands: WorldCommand[] = [
    { kind: 'spawn', agent_id: fresh, display_name: fresh, tier: draw(3), awake: draw(5) > 0, online: true },
    { kind: 'despawn', agent_id: draw(4) === 0 ? agent_id : UNKNOWN_AGENT },
    { kind: 'state', agent_id, awake: draw(4) > 0, tier: draw(3) },
    { kind: 'move', agent_id, target: { landmark_id: landmark.landmark_id } },
    { kind: 'move', agent_id, target: { dx: draw(WAYS) - WAYS / 2, dy: draw(WAYS) - WAYS / 2 } },
    { kind: 'move', agent_id, target: tile },
    { kind: 'talk', agent_id, text: 'x'.repeat(draw(300)), ...(draw(2) === 0 && { to: fresh }) },
    { kind: 'pick_up', agent_id, item_id },
    { kind: 'drop', agent_id, item_id },
    { kind: 'use', agent_id, target },
    { kind: 'use_board', agent_id },
    { kind: 'emote', agent_id, emote: EMOTES[draw(EMOTES.length)] ?? 'wave' },
  ];
  return commands[draw(commands.length)] ?? { kind: 'despawn', agent_id };
}

/** Runs a world for `steps` steps of random length; `seen` gets each event after `reduce`. Returns the last tick. */
export function runRandomly(
  world: WorldState,
  run: { draw: Draw; steps: number; seen: (event: WorldEvent) => void },
): number {
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
