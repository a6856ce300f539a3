import {
  EMOTE_TICKS,
  SPEECH_TICKS,
  TICKS_PER_TILE,
  type Activity,
  type AgentEntry,
  type Emote,
  type ItemKind,
  type Zoom,
  TICK_MS,
} from '@hamlet/contract';
import { type Facing, FACING_OF_STEP, stepBetween } from '../map/directions.ts';
import type { WorldMap } from '../map/world-map.ts';
import { arrivalTick, type Walk, walkPosition } from '../world/state/walk.ts';
import { parseItemId } from '../world/state/item-table.ts';

/** Delay of the drawn tick, which avoids jumps: five ticks until an update, one until its events are durable, one on the network. */
export const DRAW_BEHIND_TICKS = 7;
/** Fraction of the elapsed time by which the drawn tick may run faster or slower. */
const MAX_SLEW = 0.1;
/** A greater error makes the drawn tick jump: the tab was hidden, or the village restarted at an earlier tick. */
const JUMP_TICKS = 20;
/** Fraction of a late frame's error that corrects the clock: small, because the network may be late. */
const LEAK = 0.02;

/** Mutable; a connection has one. */
interface ViewClock {
  /** Local time of tick 0 in ms, by the fastest recent frame. */
  originMs: number | null;
  drawnTick: number;
  lastMs: number;
}

export const createClock = (): ViewClock => ({ originMs: null, drawnTick: 0, lastMs: 0 });

/** `nowMs`: local time at which the frame arrived. */
export function observeTick(clock: ViewClock, tick: number, nowMs: number): void {
  const originMs = nowMs - tick * TICK_MS;
  const known = clock.originMs;
  if (known === null) {
    clock.originMs = originMs;
    clock.drawnTick = tick - DRAW_BEHIND_TICKS;
    clock.lastMs = nowMs;
    return;
  }
  const error = originMs - known;
  clock.originMs = error < 0 || error > JUMP_TICKS * TICK_MS ? originMs : known + error * LEAK;
}

/** The drawn tick with its fraction. It advances smoothly, but jumps, even backwards, beyond JUMP_TICKS of error. */
export function tickAt(clock: ViewClock, nowMs: number): number {
  if (clock.originMs === null) return 0;
  const wanted = (nowMs - clock.originMs) / TICK_MS - DRAW_BEHIND_TICKS;
  const elapsed = Math.max(0, nowMs - clock.lastMs) / TICK_MS;
  clock.lastMs = Math.max(clock.lastMs, nowMs);
  const error = wanted - (clock.drawnTick + elapsed);
  if (Math.abs(error) > JUMP_TICKS) clock.drawnTick = wanted;
  else clock.drawnTick += elapsed + Math.max(-elapsed * MAX_SLEW, Math.min(elapsed * MAX_SLEW, error));
  return clock.drawnTick;
}

export interface SeenAgent {
  readonly agent: number;
  walk: Walk;
  /** The walk before `walk`; drawn until the drawn tick reaches `walk`. */
  before: Walk | null;
  awake: boolean;
  online: boolean;
  activity: AgentEntry['activity'];
  emote: AgentEntry['emote'];
  speech: { readonly text: string; readonly tick: number } | null;
  inventory: readonly string[];
}

/** Kept current by {@link applyToView}. Mutable: it lives as long as a connection. */
export interface View {
  readonly map: WorldMap;
  epoch: number;
  /** A connection is resumed with `epoch` and `seq`. */
  seq: number;
  tick: number;
  cells: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  zoom: Zoom;
  readonly pinned: Set<number>;
  readonly agents: Map<number, SeenAgent>;
  /** Agents that left the view; each is drawn until its `tick`. */
  gone: readonly { readonly seen: SeenAgent; readonly tick: number }[];
  readonly names: Map<number, { readonly agentId: string; readonly name: string }>;
  readonly lying: Map<string, number>;
  readonly clusters: Map<number, number>;
}

export function createView(map: WorldMap): View {
  return {
    map,
    epoch: 0,
    seq: 0,
    tick: 0,
    cells: { x: 0, y: 0, width: 0, height: 0 },
    zoom: 'near',
    pinned: new Set(),
    agents: new Map(),
    gone: [],
    names: new Map(),
    lying: new Map(),
    clusters: new Map(),
  };
}

/**
 * One agent at the drawn moment. `asleep` means that it is suspended and has no pod. Positions are fractions of tiles;
 * `x + 0.5, y + 0.5` is the middle of tile `x, y`.
 */
export interface DrawnAgent {
  readonly agent: number;
  readonly agentId: string;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly facing: Facing;
  readonly moving: boolean;
  readonly asleep: boolean;
  readonly online: boolean;
  readonly activity: Activity;
  readonly speech: SeenAgent['speech'];
  readonly emote: Emote | null;
  readonly inventory: readonly string[];
}

function lastStep(walk: Walk, width: number): number {
  const last = walk.tiles.at(-1);
  const before = walk.tiles.at(-2);
  return last === undefined || before === undefined ? walk.lead : stepBetween(before, last, width);
}

/** The newest walk includes the step that led to its first tile; the older one covers the time before. */
function walkAt(seen: SeenAgent, tick: number): Walk {
  const { walk, before } = seen;
  const knownFrom = walk.startTick - (walk.lead === 0 ? 0 : TICKS_PER_TILE);
  return before !== null && tick < knownFrom ? before : walk;
}

function activityOf(seen: SeenAgent, moving: boolean, tick: number): Activity {
  if (!seen.awake) return 'sleeping';
  if (moving) return 'walking';
  return seen.activity !== null && tick < seen.activity.until_tick ? seen.activity.activity : 'idle';
}

function draw(view: View, seen: SeenAgent, tick: number): DrawnAgent {
  const walk = walkAt(seen, tick);
  const { x, y, step } = walkPosition(walk, view.map.width, tick);
  const moving = step !== 0 && tick < arrivalTick(walk);
  const { agentId, name } = view.names.get(seen.agent) ?? { agentId: '', name: '' };
  return {
    agent: seen.agent,
    agentId,
    name,
    x,
    y,
    moving,
    facing: FACING_OF_STEP[moving ? step : lastStep(walk, view.map.width)] ?? 'south',
    asleep: !seen.awake,
    online: seen.online,
    activity: activityOf(seen, moving, tick),
    speech: seen.speech !== null && tick < seen.speech.tick + SPEECH_TICKS ? seen.speech : null,
    emote: seen.emote !== null && tick < seen.emote.tick + EMOTE_TICKS ? seen.emote.emote : null,
    inventory: seen.inventory,
  };
}

/** All agents in the view, unordered; `tick` may be a fraction. */
export function viewAgents(view: View, tick: number): DrawnAgent[] {
  const drawn: DrawnAgent[] = [];
  for (const seen of view.agents.values()) drawn.push(draw(view, seen, tick));
  for (const { seen, tick: end } of view.gone)
    if (tick < end && !view.agents.has(seen.agent)) drawn.push(draw(view, seen, tick));
  return drawn;
}

export function viewItems(view: View): { itemId: string; kind: ItemKind; x: number; y: number }[] {
  return Array.from(view.lying, ([itemId, tile]) => ({
    itemId,
    kind: parseItemId(itemId)?.kind ?? 'apple',
    x: tile % view.map.width,
    y: Math.floor(tile / view.map.width),
  }));
}

export function viewClusters(view: View): { cell: number; count: number }[] {
  return Array.from(view.clusters, ([cell, count]) => ({ cell, count }));
}
