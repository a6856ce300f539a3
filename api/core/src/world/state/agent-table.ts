import { MAX_AGENTS } from '@hamlet/contract';
import type { Walk } from './walk.ts';

/** Bits of `flags`. ALIVE: an agent uses the slot. */
export const ALIVE = 1;
export const AWAKE = 2;
export const ONLINE = 4;
/** An `arrive` event has reported the end of the path. */
export const ARRIVED = 8;

const FIRST_CAPACITY = 64;

/** Typed arrays with one value per agent slot. */
interface Columns {
  readonly flags: Uint8Array;
  readonly tier: Uint8Array;
  readonly home: Uint16Array;
  /** The path: tile indexes of its ends, first tick, number of steps, direction of the step under way at the start. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly startTick: Uint32Array;
  readonly steps: Uint16Array;
  readonly lead: Uint8Array;
  /** Number of the agent's landmark slot plus one; 0 for none. */
  readonly place: Uint32Array;
  /** Index into ACTIVITIES, and the tick at which the activity ends. */
  readonly activity: Uint8Array;
  readonly activityUntil: Uint32Array;
  /** Index into EMOTES plus one (0: none), and the tick at which the emote began. */
  readonly emote: Uint8Array;
  readonly emoteTick: Uint32Array;
  readonly speechTick: Uint32Array;
}

/** Mutable arrays: a new object for every change of 50,000 agents would cost more than the change. */
export interface AgentTable extends Columns {
  /** Highest slot ever used, plus one. */
  top: number;
  count: number;
  /** All slots below this one are in use. */
  firstFree: number;
  readonly ids: string[];
  readonly names: string[];
  readonly speech: string[];
  readonly slotById: Map<string, number>;
  /** Tile indexes of each path; derived. */
  readonly walks: (readonly number[])[];
  /** The walk before the present one, for viewers, which draw a little in the past; not in a snapshot. */
  readonly earlier: (Walk | null)[];
  /** Numbers of the items that an agent holds, smallest first; derived. */
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

/** At least doubles the columns if they have no room for a slot. */
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

/** -1 if the world is full. */
export function freeSlot(agents: AgentTable): number {
  let slot = agents.firstFree;
  while (slot < agents.top && has(agents, slot, ALIVE)) slot += 1;
  return slot < MAX_AGENTS ? slot : -1;
}
