import assert from 'node:assert/strict';
import { TICK_MS, Turn } from '@hamlet/contract';
import { chance } from '../brain/chance.ts';
import { recallMind } from '../loop/reflect.ts';
import type { Thinker } from '../loop/thinker.ts';
import { runTurn } from '../loop/turn.ts';
import { restAfter } from '../loop/turn-loop.ts';
import { forgetfulMemory } from '../memory/memory-store.ts';
import type { Voice } from '../runtime/voice.ts';
import type { Villager } from './core-village.ts';

/** `loop.every` of 30 s. */
const TICKS_BETWEEN_TURNS = 300;

interface Living {
  readonly voice: Voice;
  readonly seed: number;
  readonly thinker?: Thinker;
}

/** The loop of one villager, driven by ticks instead of timers. */
export function lifeOf(villager: Villager, { voice, seed, thinker }: Living): (tick: number) => Promise<void> {
  const memory = forgetfulMemory({ entities: [] });
  let nextTurn = Math.floor(chance(seed, villager.agentId) * TICKS_BETWEEN_TURNS);
  let restsUntil = 0;
  let count = 0;
  const newId = () => `00000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`;
  const ports = { village: villager.village, voice, memory, cycle: 1, newId, ...(thinker && { thinker }) };
  return async (tick: number) => {
    if (tick < restsUntil) return;
    const trigger = villager.waiting.shift() ?? (tick >= nextTurn ? { kind: 'tick' as const } : null);
    if (trigger === null) return;
    const outcome = await runTurn(ports, trigger, recallMind(memory));
    assert.ok(outcome.kind === 'done', 'the village is always reachable here');
    villager.turns.push(Turn.parse(outcome.turn));
    nextTurn = tick + TICKS_BETWEEN_TURNS;
    restsUntil = tick + Math.ceil(restAfter(outcome.turn) / TICK_MS);
  };
}
