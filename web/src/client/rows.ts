import type { AgentDetail } from '@hamlet/contract';
import type { SceneAgent, SceneLandmark, SceneZone } from '../canvas/model/scene.ts';
import type { Row } from './app-state.ts';

/** What a list of people is made from. `goals` are the tiles that walkers are on the way to. */
export interface RowSource {
  readonly details: ReadonlyMap<string, AgentDetail>;
  readonly agents: readonly SceneAgent[];
  readonly goals: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly landmarks: readonly SceneLandmark[];
  readonly zones: readonly SceneZone[];
}

const BY_NAME = new Intl.Collator('en');

/**
 * One row for everybody who is known: live where the view is, as last reported elsewhere; by name. Rows that say the same as before are the same
 * objects, and a list that says the same is the same list: a village of a thousand is not drawn again twice a second.
 */
export function rowsOf(source: RowSource, before: readonly Row[] = []): readonly Row[] {
  const seen = new Map(source.agents.map((agent) => [agent.id, agent]));
  const ids = new Set([...source.details.keys(), ...seen.keys()]);
  const known = new Map(before.map((row) => [row.id, row]));
  const rows = [...ids]
    .map((id) => {
      const row = rowOf(source, { detail: source.details.get(id), agent: seen.get(id), id });
      const was = known.get(id);
      return was !== undefined && isSame(was, row) ? was : row;
    })
    .sort((left, right) => BY_NAME.compare(left.name, right.name) || BY_NAME.compare(left.id, right.id));
  return rows.length === before.length && rows.every((row, index) => row === before[index]) ? before : rows;
}

function isSame(left: Row, right: Row): boolean {
  const { carried: leftCarried, ...leftRest } = left;
  const { carried: rightCarried, ...rightRest } = right;
  const other = new Map(Object.entries(rightRest));
  return (
    Object.entries(leftRest).every(([key, value]) => other.get(key) === value) &&
    leftCarried.length === rightCarried.length &&
    leftCarried.every((kind, index) => kind === rightCarried[index])
  );
}

interface Known {
  readonly id: string;
  readonly detail: AgentDetail | undefined;
  readonly agent: SceneAgent | undefined;
}

function rowOf(source: RowSource, { id, detail, agent }: Known): Row {
  const seen = agent === undefined ? reported(detail) : live(agent);
  return {
    ...seen,
    id,
    live: agent !== undefined,
    name: detail?.display_name ?? agent?.name ?? id,
    place: placeName(source, seen),
    heading: headingOf(source, id, detail),
    node: detail?.node ?? null,
  };
}

type Seen = Pick<Row, 'x' | 'y' | 'moving' | 'asleep' | 'online' | 'activity' | 'speech' | 'carried'>;

/** As the frames show it. */
function live({ x, y, moving, asleep, online, activity, speech, carried }: SceneAgent): Seen {
  return { x, y, moving, asleep, online, activity, carried, speech: speech?.text ?? null };
}

/** As the api last reported it. */
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

function headingOf(source: RowSource, id: string, detail: AgentDetail | undefined): string | null {
  const goal = source.goals.get(id);
  if (goal === undefined) return null;
  const landmark =
    landmarkOf(source.landmarks, goal) ??
    source.landmarks.find((candidate) => candidate.id === detail?.moving_to?.landmark_id);
  return landmark?.name ?? null;
}

function landmarkOf(
  landmarks: readonly SceneLandmark[],
  at: { readonly x: number; readonly y: number },
): SceneLandmark | undefined {
  const x = Math.round(at.x);
  const y = Math.round(at.y);
  return landmarks.find(
    (landmark) => (landmark.x === x && landmark.y === y) || landmark.slots.some((slot) => slot.x === x && slot.y === y),
  );
}

/** The landmark on whose slot it stands, or the smallest zone around it. */
export function placeName(
  source: Pick<RowSource, 'landmarks' | 'zones'>,
  at: { readonly x: number; readonly y: number },
): string | null {
  const landmark = landmarkOf(source.landmarks, at);
  if (landmark !== undefined) return landmark.name;
  const around = source.zones.filter(
    (zone) => at.x >= zone.x && at.y >= zone.y && at.x < zone.x + zone.width && at.y < zone.y + zone.height,
  );
  return (
    around.reduce<SceneZone | undefined>(
      (best, zone) => (best === undefined || zone.width * zone.height < best.width * best.height ? zone : best),
      undefined,
    )?.name ?? null
  );
}
