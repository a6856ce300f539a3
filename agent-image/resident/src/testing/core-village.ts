/** A village in one process: the real rules of the world, without network or clock. It handles a command like the API. */
import assert from 'node:assert/strict';
import type { AgentConfig, AgentPlace, AgentView, WorldCommand, WorldEvent, WorldView } from '@hamlet/contract';
import { ActionBody, AROUND_MAX_TILES, MoveBody, TICK_MS, Turn } from '@hamlet/contract';
import {
  advance,
  agentPlaces,
  createWorld,
  defaultMap,
  itemViews,
  reduce,
  stateHash,
  surroundingOf,
  timeOfDay,
  validateCommand,
  wakesOf,
  type WorldState,
} from '@hamlet/core';
import type { Trigger } from '../loop/inbox.ts';
import type { Answer, Village } from '../village/village.ts';
import { mapped } from '../village/send-request.ts';
import { aConfig, aStanding } from './a-village.ts';
import { ok, scriptedVillage } from './scripted-village.ts';
import { chance } from '../brain/chance.ts';
import { recallMind } from '../loop/reflect.ts';
import type { Thinker } from '../loop/thinker.ts';
import { runTurn } from '../loop/turn.ts';
import { restAfter } from '../loop/turn-loop.ts';
import { forgetfulLifeStore } from '../memory/life-store.ts';
import type { Voice } from '../runtime/voice.ts';

export interface Villager {
  readonly agentId: string;
  readonly village: Village;
  readonly turns: Turn[];
  /** The triggers of the villager's next turns at this tick, oldest first. */
  readonly waiting: Exclude<Trigger, { kind: 'ended' }>[];
}

export interface CoreVillage {
  readonly villagers: readonly Villager[];
  readonly events: readonly WorldEvent[];
  /** Applies the village's own events up to this tick. */
  advanceTo(tick: number): void;
  view(): WorldView;
  hash(): string;
}

export function coreVillage(names: readonly string[], seed: number, shared: Partial<AgentConfig> = {}): CoreVillage {
  const world = createWorld(defaultMap(), seed);
  const events: WorldEvent[] = [];
  const villagers: Villager[] = [];
  let tick = 0;

  const notify = (happened: readonly WorldEvent[]) => {
    for (const event of happened) {
      events.push(event);
      for (const { agent_id, wake } of wakesOf(world, event))
        villagers.find(({ agentId }) => agentId === agent_id)?.waiting.push({ kind: 'wake', wake });
    }
  };
  const command = (wish: WorldCommand): Answer<WorldEvent> => {
    const outcome = validateCommand(world, wish, tick);
    if (!outcome.ok) return { kind: 'refused', code: outcome.reason, detail: outcome.reason };
    for (const event of outcome.events) {
      reduce(world, event);
      notify([event]);
    }
    const last = outcome.events.at(-1);
    return last === undefined ? { kind: 'unreachable', why: 'nothing came of it' } : ok(last);
  };
  const view = () => viewOf(world, tick);
  const around = (agentId: string, also?: string): WorldView => {
    const near = surroundingOf(world, agentId, { radius: AROUND_MAX_TILES, tick, also });
    return { ...viewOf(world, tick), agents: near.agents.map(asView), items: [...near.items] };
  };

  for (const agentId of names) {
    const village = villageOf(agentId, { config: { ...shared, seed }, view, around, command });
    villagers.push({ agentId, village, turns: [], waiting: [] });
    command({ kind: 'spawn', agent_id: agentId, display_name: agentId, tier: 0, awake: true, online: true });
  }
  return {
    villagers,
    events,
    advanceTo: (next) => {
      tick = next;
      notify(advance(world, next));
    },
    view,
    hash: () => stateHash(world),
  };
}

function asView(place: AgentPlace): AgentView {
  return { ...place, power: 'Awake', status: { online: true, last_seen: null, health: 'healthy' } };
}

function viewOf(world: WorldState, tick: number): WorldView {
  const { width, height, landmarks, zones } = world.map;
  return {
    world_size: { width, height },
    tick,
    tick_ms: TICK_MS,
    epoch: 1,
    seq: world.seq,
    time: timeOfDay(tick),
    landmarks: [...landmarks],
    zones: [...zones],
    agents: agentPlaces(world, tick).map(asView),
    items: itemViews(world),
  };
}

interface Rules {
  readonly config: Partial<AgentConfig>;
  readonly view: () => WorldView;
  readonly around: (agentId: string, other?: string) => WorldView;
  readonly command: (wish: WorldCommand) => Answer<WorldEvent>;
}

function villageOf(agentId: string, { config, view, around, command }: Rules): Village {
  return {
    ...scriptedVillage(),
    config: async () => ok(aConfig({ ...config, agent_id: agentId, display_name: agentId, home: null })),
    world: async () => ok(view()),
    around: async (other) => ok(around(agentId, other)),
    standing: async () => ok(aStanding({ agent_id: agentId })),
    move: async (body) =>
      mapped(command({ kind: 'move', agent_id: agentId, target: MoveBody.parse(body) }), moveAnswerOf),
    act: async (body) => {
      const answer = command({ ...ActionBody.parse(body), agent_id: agentId });
      return mapped(answer, (event) => ({ accepted_seq: event.seq, durable_seq: event.seq, event }));
    },
    auctions: async () => ok([]),
    quote: async () => ({ kind: 'refused', code: 'not_for_sale', detail: 'not here' }),
  };
}

function moveAnswerOf(event: WorldEvent) {
  if (event.kind !== 'move') throw new Error(`a move became the event ${event.kind}`);
  const { seq, from, to, start_tick, arrives_tick } = event;
  return { accepted_seq: seq, from, to, start_tick, arrives_tick, path_tiles: (arrives_tick - start_tick) / 4 };
}

/** `loop.every` of 30 s. */
const TICKS_BETWEEN_TURNS = 300;

interface Living {
  readonly voice: Voice;
  readonly seed: number;
  readonly thinker?: Thinker;
}

/** The loop of one villager, driven by ticks instead of timers. */
export function lifeOf(villager: Villager, { voice, seed, thinker }: Living): (tick: number) => Promise<void> {
  const memory = forgetfulLifeStore();
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
    assert.ok(outcome.kind === 'done', 'this village is always reachable');
    villager.turns.push(Turn.parse(outcome.turn));
    nextTurn = tick + TICKS_BETWEEN_TURNS;
    restsUntil = tick + Math.ceil(restAfter(outcome.turn) / TICK_MS);
  };
}
