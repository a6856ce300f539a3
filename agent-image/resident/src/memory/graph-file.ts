import {
  ENTRY_NAME_MAX_CHARS,
  MEMORY_CHANGES_MAX,
  OBSERVATION_MAX_CHARS,
  OBSERVATIONS_MAX,
  storableText,
} from '@hamlet/contract/resident';
import type { MemoryChange, MemoryEntry } from '@hamlet/contract';
import { z } from 'zod';

/** The part of an entry that a file of the MCP memory server can hold. */
export type GraphEntry = Pick<MemoryEntry, 'memory_id' | 'kind' | 'name' | 'type' | 'to' | 'observations'>;

const Entity = z.object({
  type: z.literal('entity'),
  name: z.string(),
  entityType: z.string(),
  observations: z.array(z.string()),
});
const Relation = z.object({ type: z.literal('relation'), from: z.string(), to: z.string(), relationType: z.string() });
const Line = z.discriminatedUnion('type', [Entity, Relation]);

export interface GraphFile {
  readonly entities: ReadonlyMap<string, { readonly type: string; readonly observations: ReadonlySet<string> }>;
  readonly relations: ReadonlyMap<string, z.infer<typeof Relation>>;
  /** Lines that are not valid. If there are some, no missing entry counts as deleted. */
  readonly unreadable: readonly string[];
}

export function renderGraph(entries: readonly GraphEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(lineOf(entry))}\n`).join('');
}

const lineOf = ({ kind, name, type, to, observations }: GraphEntry): z.infer<typeof Line> =>
  kind === 'entity'
    ? { type: 'entity', name, entityType: type, observations }
    : { type: 'relation', from: name, to: to ?? '', relationType: type };

/** Bounds of an entity. By default those of the API. */
export interface GraphLimits {
  readonly observations: number;
  readonly observationChars: number;
}
const API_LIMITS: GraphLimits = { observations: OBSERVATIONS_MAX, observationChars: OBSERVATION_MAX_CHARS };

export function parseGraph(text: string, limits: GraphLimits = API_LIMITS): GraphFile {
  const entities = new Map<string, { type: string; observations: Set<string> }>();
  const relations = new Map<string, z.infer<typeof Relation>>();
  const unreadable: string[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const parsed = Line.safeParse(parseJson(line));
    if (!parsed.success) unreadable.push(line);
    else if (parsed.data.type === 'entity') addEntity(entities, parsed.data, limits);
    else {
      const relation = cleanRelation(parsed.data);
      relations.set(relationKey(relation), relation);
    }
  }
  return { entities, relations, unreadable };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function addEntity(
  entities: Map<string, { type: string; observations: Set<string> }>,
  { name, entityType, observations }: z.infer<typeof Entity>,
  limits: GraphLimits,
): void {
  const key = clean(name);
  const known = entities.get(key) ?? { type: clean(entityType), observations: new Set<string>() };
  for (const text of observations.slice(0, limits.observations)) {
    const words = clean(text, limits.observationChars);
    if (words !== '') known.observations.add(words);
  }
  entities.set(key, known);
}

const cleanRelation = ({ type, from, to, relationType }: z.infer<typeof Relation>): z.infer<typeof Relation> => ({
  type,
  from: clean(from),
  to: clean(to),
  relationType: clean(relationType),
});

const clean = (text: string, maxChars = ENTRY_NAME_MAX_CHARS): string =>
  [...storableText(text)].slice(0, maxChars).join('');

const relationKey = ({ from, to, relationType }: Omit<z.infer<typeof Relation>, 'type'>): string =>
  JSON.stringify([from, relationType, to]);

/**
 * The changes between the entries that were written to a file and the file's current content. `mayDelete` is false if missing
 * entries may only be unreadable. Pure.
 */
export function changesOfGraph(
  base: readonly GraphEntry[],
  now: GraphFile,
  { mayDelete }: { readonly mayDelete: boolean },
): readonly MemoryChange[] {
  const known = new Map(base.filter(({ kind }) => kind === 'entity').map((entry) => [entry.name, entry]));
  const knownRelations = new Set(base.filter(({ kind }) => kind === 'relation').map(keyOf));
  const added = [...now.entities].flatMap(([name, entity]) => changesOfEntity(known.get(name), { name, ...entity }));
  const related = [...now.relations]
    .filter(([key, { from, to, relationType }]) => !knownRelations.has(key) && isNamed(from, to, relationType))
    .map(([, { from, to, relationType }]): MemoryChange => ({ op: 'relate', from, to, type: relationType }));
  const isGone = (entry: GraphEntry): boolean =>
    entry.kind === 'entity' ? !now.entities.has(entry.name) : !now.relations.has(keyOf(entry));
  const gone = mayDelete && now.unreadable.length === 0 ? base.filter(isGone) : [];
  return [...added, ...related, ...gone.map(({ memory_id }): MemoryChange => ({ op: 'forget', memory_id }))];
}

const keyOf = ({ name, to, type }: GraphEntry): string => relationKey({ from: name, to: to ?? '', relationType: type });
const isNamed = (...names: readonly string[]): boolean => names.every((name) => name !== '');

interface Found {
  readonly name: string;
  readonly type: string;
  readonly observations: ReadonlySet<string>;
}

function changesOfEntity(before: GraphEntry | undefined, { name, type, observations }: Found): readonly MemoryChange[] {
  if (!isNamed(name, type)) return [];
  const added = [...observations].filter((text) => before?.observations.includes(text) !== true);
  if (before === undefined) return [{ op: 'add', name, type, observations: added.slice(0, OBSERVATIONS_MAX) }];
  const dropped = before.observations.filter((text) => !observations.has(text));
  return [
    ...(dropped.length === 0 ? [] : [{ op: 'drop' as const, memory_id: before.memory_id, observations: dropped }]),
    ...(added.length === 0 ? [] : [{ op: 'add' as const, name, type: before.type, observations: added }]),
  ];
}

/** A request to the API has at most 512 KiB. */
const BATCH_MAX_BYTES = 400_000;

export function batchesOf(changes: readonly MemoryChange[]): readonly (readonly MemoryChange[])[] {
  const batches: MemoryChange[][] = [];
  let bytes = Infinity;
  for (const change of changes) {
    const size = Buffer.byteLength(JSON.stringify(change));
    if (bytes + size > BATCH_MAX_BYTES || (batches.at(-1)?.length ?? 0) >= MEMORY_CHANGES_MAX) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(change);
    bytes += size;
  }
  return batches;
}
