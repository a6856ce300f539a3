import {
  ENTRY_NAME_MAX_CHARS,
  MEMORY_CHANGES_MAX,
  OBSERVATION_MAX_CHARS,
  OBSERVATIONS_MAX,
  storableText,
} from '@hamlet/contract/resident';
import type { MemoryChange, MemoryEntry } from '@hamlet/contract';
import { readJson } from '@hamlet/core/read-json';
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

/** The entries as lines. Entries with the same name, which are for different people, become one line. */
export function renderGraph(entries: readonly GraphEntry[]): string {
  const lines = new Map<string, z.infer<typeof Line>>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.kind, entry.kind === 'entity' ? entry.name : keyOf(entry)]);
    lines.set(key, withEntry(lines.get(key), entry));
  }
  return [...lines.values()].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function withEntry(
  line: z.infer<typeof Line> | undefined,
  { kind, name, type, to, observations }: GraphEntry,
): z.infer<typeof Line> {
  if (kind === 'relation') return { type: 'relation', from: name, to: to ?? '', relationType: type };
  if (line?.type !== 'entity') return { type: 'entity', name, entityType: type, observations };
  return { ...line, observations: [...new Set([...line.observations, ...observations])] };
}

/** @param observationChars longest text of a program that is read whole; by default as the API allows */
export function parseGraph(text: string, observationChars = OBSERVATION_MAX_CHARS): GraphFile {
  const entities = new Map<string, { type: string; observations: Set<string> }>();
  const relations = new Map<string, z.infer<typeof Relation>>();
  const unreadable: string[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const parsed = Line.safeParse(readJson(line));
    if (!parsed.success) unreadable.push(line);
    else if (parsed.data.type === 'entity') addEntity(entities, parsed.data, observationChars);
    else {
      const relation = cleanRelation(parsed.data);
      relations.set(relationKey(relation), relation);
    }
  }
  return { entities, relations, unreadable };
}

function addEntity(
  entities: Map<string, { type: string; observations: Set<string> }>,
  { name, entityType, observations }: z.infer<typeof Entity>,
  observationChars: number,
): void {
  const key = clean(name);
  const known = entities.get(key) ?? { type: clean(entityType), observations: new Set<string>() };
  for (const text of observations) {
    const words = clean(text, observationChars);
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
  const known = Map.groupBy(
    base.filter(({ kind }) => kind === 'entity'),
    ({ name }) => name,
  );
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

/** @param before the entries of this name, each for other people */
function changesOfEntity(
  before: readonly GraphEntry[] = [],
  { name, type, observations }: Readonly<{ name: string; type: string; observations: ReadonlySet<string> }>,
): readonly MemoryChange[] {
  if (!isNamed(name, type)) return [];
  const known = new Set(before.flatMap((entry) => entry.observations));
  const added = [...observations].filter((text) => !known.has(text)).slice(0, OBSERVATIONS_MAX);
  const [first] = before;
  if (first === undefined) return [{ op: 'add', name, type, observations: added }];
  const dropped = before.flatMap(({ memory_id, observations: texts }): readonly MemoryChange[] => {
    const gone = texts.filter((text) => !observations.has(text));
    return gone.length === 0 ? [] : [{ op: 'drop', memory_id, observations: gone }];
  });
  return added.length === 0 ? dropped : [...dropped, { op: 'add', name, type: first.type, observations: added }];
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
