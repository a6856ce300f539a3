import { MAX_AGENTS } from '@hamlet/contract';
import type { Walk } from './walk.ts';

/** Bits of `flags`. */
export const ALIVE = 1;
export const AWAKE = 2;
export const ONLINE = 4;
/** The end of the path has been announced by an `arrive` event. */
export const ARRIVED = 8;

const FIRST_CAPACITY = 64;

/** The typed arrays of one row per agent slot. */
interface Columns {
  readonly flags: Uint8Array;
  /** Rank of the agent's entitlement. */
  readonly tier: Uint8Array;
  /** Index of the home landmark. */
  readonly home: Uint16Array;
  /** The path record: tile indexes, start tick, steps, and the step under way when it began. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly startTick: Uint32Array;
  readonly steps: Uint16Array;
  readonly lead: Uint8Array;
  /** Number of the landmark slot held, plus one; 0 holds none. */
  readonly place: Uint32Array;
  /** Index into ACTIVITIES and the tick it ends at. */
  readonly activity: Uint8Array;
  readonly activityUntil: Uint32Array;
  /** Index into EMOTES plus one, and the tick it began at. */
  readonly emote: Uint8Array;
  readonly emoteTick: Uint32Array;
  readonly speechTick: Uint32Array;
}

/** All agents, one slot each. Arrays in place, because 50,000 agents as objects would cost more to copy than to move. */
export interface AgentTable extends Columns {
  /** Slots ever used; a loop over agents ends here. */
  top: number;
  /** Agents alive. */
  count: number;
  /** No slot below this is free. */
  firstFree: number;
  readonly ids: string[];
  readonly names: string[];
  readonly speech: string[];
  readonly slotById: Map<string, number>;
  /** Tile indexes of each path, from its first tile to its last; derived from the record and the map. */
  readonly walks: (readonly number[])[];
  /** The walk before the present one, for those who draw a little in the past; not part of a snapshot. */
  readonly earlier: (Walk | null)[];
  /** Items carried, by number, smallest first; derived from the items. */
  readonly carried: number[][];
}

function columns(capacity: number): Columns {
  return {
    flags: new Uint8Array(capacity),
    tier: new Uint8Array(capacity),
    home: new Uint16Array(capacity),
    from: new Uint32Array(capacity),
    to: new Uint32Array(capacity),
    startTick: new Uint32Array(capacity),
    steps: new Uint16Array(capacity),
    lead: new Uint8Array(capacity),
    place: new Uint32Array(capacity),
    activity: new Uint8Array(capacity),
    activityUntil: new Uint32Array(capacity),
    emote: new Uint8Array(capacity),
    emoteTick: new Uint32Array(capacity),
    speechTick: new Uint32Array(capacity),
  };
}

export function createAgentTable(): AgentTable {
  return {
    top: 0,
    count: 0,
    firstFree: 0,
    ids: [],
    names: [],
    speech: [],
    slotById: new Map(),
    walks: [],
    earlier: [],
    carried: [],
    ...columns(FIRST_CAPACITY),
  };
}

/** Doubles every column when a slot lies beyond them. */
export function ensureCapacity(agents: AgentTable, slot: number): void {
  const capacity = agents.flags.length;
  if (slot < capacity) return;
  const grown = columns(Math.max(slot + 1, capacity * 2));
  for (const key of Object.keys(grown) as (keyof Columns)[]) grown[key].set(agents[key]);
  Object.assign(agents, grown);
}

export function has(agents: AgentTable, slot: number, flag: number): boolean {
  return ((agents.flags[slot] ?? 0) & flag) !== 0;
}

export function setFlag(agents: AgentTable, slot: number, flag: { readonly bit: number; readonly on: boolean }): void {
  const flags = agents.flags[slot] ?? 0;
  agents.flags[slot] = flag.on ? flags | flag.bit : flags & ~flag.bit;
}

/** The lowest free slot, or -1 when the world is full. */
export function freeSlot(agents: AgentTable): number {
  let slot = agents.firstFree;
  while (slot < agents.top && has(agents, slot, ALIVE)) slot += 1;
  return slot < MAX_AGENTS ? slot : -1;
}
