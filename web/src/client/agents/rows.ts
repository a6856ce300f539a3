import type { AgentDetail, HandsActivity } from '@hamlet/contract';
import type { DrawnAgent } from '@hamlet/core';
import { itemKind } from '../../canvas/model/scene.ts';
import type { Row } from '../app-state.ts';
import { landmarkAt, placeName, type Places } from './places.ts';

/** The sources of the rows. `goals` are the tiles that walking agents go to. */
export interface RowSource extends Places {
  readonly details: ReadonlyMap<string, AgentDetail>;
  readonly agents: readonly DrawnAgent[];
  readonly goals: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly hands: ReadonlyMap<string, HandsActivity>;
}

const BY_NAME = new Intl.Collator('en');

interface Parts {
  readonly detail: AgentDetail | undefined;
  readonly agent: DrawnAgent | undefined;
  readonly goal: { readonly x: number; readonly y: number } | undefined;
  readonly hands: HandsActivity | undefined;
}

interface Known extends Parts {
  readonly row: Row;
}

/** One row for each known agent, by name. Rebuilds only changed rows; an unchanged row stays the same object. */
export class AgentRows {
  #known = new Map<string, Known>();
  #rows: readonly Row[] = [];
  #places: Places = { landmarks: [], zones: [] };

  update(source: RowSource): readonly Row[] {
    const before = this.#known;
    const places = { landmarks: source.landmarks, zones: source.zones };
    const moved = places.landmarks !== this.#places.landmarks || places.zones !== this.#places.zones;
    this.#places = places;
    this.#known = new Map(
      partsOf(source).map(([id, parts]) => [id, knownOf(before.get(id), { id, parts, places, moved })]),
    );
    const rows = Array.from(this.#known.values(), ({ row }) => row);
    const isNew = (row: Row): boolean => before.get(row.id)?.row !== row;
    const isNamed = (row: Row): boolean => before.get(row.id)?.row.name === row.name;
    if (rows.length !== before.size || !rows.every(isNamed)) this.#rows = rows.sort(byName);
    else if (rows.some(isNew)) this.#rows = this.#rows.map((row) => this.#known.get(row.id)?.row ?? row);
    return this.#rows;
  }
}

function partsOf({ details, agents, goals, hands }: RowSource): (readonly [string, Parts])[] {
  const seen = new Map(agents.map((agent) => [agent.agentId, agent]));
  return [...new Set([...details.keys(), ...seen.keys()])].map((id) => [
    id,
    { detail: details.get(id), agent: seen.get(id), goal: goals.get(id), hands: hands.get(id) },
  ]);
}

function knownOf(
  before: Known | undefined,
  {
    id,
    parts,
    places,
    moved,
  }: { readonly id: string; readonly parts: Parts; readonly places: Places; readonly moved: boolean },
): Known {
  if (before !== undefined && !moved && isSame(before, parts)) return { ...parts, row: before.row };
  return { ...parts, row: shared(before?.row, rowOf(places, id, parts)) };
}

function byName(left: Row, right: Row): number {
  return BY_NAME.compare(left.name, right.name) || BY_NAME.compare(left.id, right.id);
}

function isSame(before: Parts, now: Parts): boolean {
  return (
    before.detail === now.detail &&
    before.hands === now.hands &&
    before.goal?.x === now.goal?.x &&
    before.goal?.y === now.goal?.y &&
    isSameAgent(before.agent, now.agent)
  );
}

const SHOWN = [
  'name',
  'x',
  'y',
  'moving',
  'asleep',
  'online',
  'activity',
] as const satisfies readonly (keyof DrawnAgent)[];

function isSameAgent(left: DrawnAgent | undefined, right: DrawnAgent | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    SHOWN.every((key) => left[key] === right[key]) &&
    left.speech?.text === right.speech?.text &&
    left.inventory.length === right.inventory.length &&
    left.inventory.every((itemId, index) => itemId === right.inventory[index])
  );
}

function shared(before: Row | undefined, row: Row): Row {
  if (before === undefined) return row;
  const keys = Object.keys(row) as (keyof Row)[];
  const isEqual = (key: keyof Row): boolean =>
    key === 'carried' ? before.carried.join() === row.carried.join() : before[key] === row[key];
  return keys.every(isEqual) ? before : row;
}

function rowOf(places: Places, id: string, { detail, agent, goal, hands }: Parts): Row {
  const seen = agent === undefined ? reported(detail) : live(agent);
  return {
    ...seen,
    id,
    name: detail?.display_name ?? agent?.name ?? id,
    place: placeName(places, seen),
    heading: goal === undefined ? null : headingOf(places, goal, detail),
    hands: handsOf(seen, hands),
    node: detail?.node ?? null,
  };
}

type Seen = Pick<Row, 'x' | 'y' | 'moving' | 'asleep' | 'online' | 'activity' | 'speech' | 'carried'>;

function live({ x, y, moving, asleep, online, activity, speech, inventory }: DrawnAgent): Seen {
  return { x, y, moving, asleep, online, activity, carried: inventory.map(itemKind), speech: speech?.text ?? null };
}

function reported(detail: AgentDetail | undefined): Seen {
  if (detail === undefined)
    return { x: 0, y: 0, moving: false, asleep: false, online: false, activity: 'idle', speech: null, carried: [] };
  const { position, power, status, activity, speech, inventory } = detail;
  return {
    ...position,
    moving: false,
    asleep: power === 'Asleep',
    online: status.online,
    activity,
    speech: speech?.text ?? null,
    carried: inventory.map((item) => item.kind),
  };
}

/** A suspended agent uses no hands, also while an earlier activity is still known. */
function handsOf({ asleep }: Seen, hands: Parts['hands']): HandsActivity | null {
  return asleep ? null : (hands ?? null);
}

function headingOf(
  { landmarks }: Places,
  goal: NonNullable<Parts['goal']>,
  detail: AgentDetail | undefined,
): string | null {
  const landmark = landmarkAt(landmarks, goal) ?? landmarks.find(({ id }) => id === detail?.moving_to?.landmark_id);
  return landmark?.name ?? null;
}
