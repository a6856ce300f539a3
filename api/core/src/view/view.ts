import { EMOTE_TICKS, SPEECH_TICKS, TICKS_PER_TILE } from '@hamlet/contract';
import type { Activity, AgentEntry, Emote, ItemKind, Zoom } from '@hamlet/contract';
import { type Facing, FACING_OF_STEP, stepBetween } from '../map/directions.ts';
import type { WorldMap } from '../map/world-map.ts';
import { arrivalTick, type Walk, walkPosition } from '../world/state/walk.ts';
import { parseItemId } from '../world/state/item-table.ts';

export interface SeenAgent {
  readonly agent: number;
  walk: Walk;
  /** The walk before `walk`; drawn until the drawn tick reaches `walk`. */
  before: Walk | null;
  awake: boolean;
  online: boolean;
  activity: AgentEntry['activity'];
  /** Shown for EMOTE_TICKS from `tick` on. */
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
  /** Tile of each lying item, by id. */
  readonly lying: Map<string, number>;
  /** Number of agents in each cell that is not empty, at the far zoom. */
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

/** The newest walk knows the step that led to its first tile; the older one knows what came before. */
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
  const who = view.names.get(seen.agent) ?? { agentId: '', name: '' };
  return {
    agent: seen.agent,
    ...who,
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

/** In no order; `tick` may be a fraction. */
export function viewAgents(view: View, tick: number): DrawnAgent[] {
  const here = Array.from(view.agents.values(), (seen) => draw(view, seen, tick));
  const still = view.gone.filter((one) => tick < one.tick && !view.agents.has(one.seen.agent));
  return still.length === 0 ? here : [...here, ...still.map(({ seen }) => draw(view, seen, tick))];
}

export function viewItems(view: View): { itemId: string; kind: ItemKind; x: number; y: number }[] {
  return Array.from(view.lying, ([itemId, tile]) => ({
    itemId,
    kind: parseItemId(itemId)?.kind ?? 'apple',
    x: tile % view.map.width,
    y: Math.floor(tile / view.map.width),
  }));
}

/** The number of agents in each cell that is not empty, at the far zoom. */
export function viewClusters(view: View): { cell: number; count: number }[] {
  return Array.from(view.clusters, ([cell, count]) => ({ cell, count }));
}
