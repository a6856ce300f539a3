import type { GraphEntry, GraphFile } from './graph-file.ts';
import type { FileMemory, FoundFile } from './exchange-file.ts';
import type { NewNote, OwnMemory } from '../own-memory.ts';
import { isInForce, NO_SUBJECT } from '../remembered.ts';
import type { MemoryRefused } from '../repository-memory.ts';

/**
 * Maximum number of new statements that one exchange takes; later exchanges take the rest. The API records 64 in one
 * request.
 */
const TAKEN_MAX = 128;
const NOTED_MAX = 64;
/** Maximum number of facts for everybody in a file. */
const COMMON_MAX = 500;
const COMMON_MAX_CHARS = 128 << 10;
/** The file has at most 512 KiB, and its lines stay as programs wrote them. */
const OBSERVATION_CHARS = 100_000;
/** Type of entities that the memory knows and no program has made, and the name of the one about the agent. */
const ENTITY_TYPE = 'subject';
const OWN_ENTITY = 'self';

interface Ports {
  readonly memory: Pick<OwnMemory, 'rememberAll' | 'forget' | 'get' | 'list'>;
  readonly audienceOf: (run: string) => readonly string[];
  /** Records with the API what a run is about to write; null if the API refuses. */
  readonly note: (
    run: string,
    written: readonly string[],
    signal: AbortSignal,
  ) => Promise<{ readonly tainted: readonly string[] } | null>;
  /** A new id of a memory. */
  readonly nextId: () => string;
}

/**
 * The agent's own memory behind the one file of runs without a repository. The file has the facts for everybody, and what programs
 * wrote into it; that is remembered for the people of the run that finds it. Other memories stay out of it, because the programs of
 * all runs can read it. A statement that is forgotten or corrected leaves the file.
 */
export const ownFile = (ports: Ports): FileMemory => ({
  observationChars: OBSERVATION_CHARS,
  exchange: async (run, found, signal) => {
    const base = statementsOf(found.base ?? []);
    const common = commonStatements(ports.memory);
    const lines = found.file === null ? [] : statementsIn(found.file);
    const fresh = lines.filter(({ key }) => !base.has(key) && !common.has(key)).slice(0, TAKEN_MAX);
    const taken = await keep(ports, { run, fresh, left: found.left }, signal);
    if (taken === null) return NOT_NOTED;
    if (found.mayDelete) forgetMissing(ports, run, { ...found, base, lines });
    const idOf = ({ key }: Statement): string | undefined =>
      taken.get(key) ?? (base.get(key) ?? common.get(key))?.memory_id;
    const waiting = lines.filter((line) => idOf(line) === undefined);
    const held = lines.flatMap((line) => currentOf(ports.memory, line, idOf(line)) ?? []);
    const known = [...held, ...common.values()];
    return {
      kind: 'kept',
      entries: joined(found.file, [...held, ...waiting, ...common.values()]),
      known: known.map(entryOf),
      refused: [],
    };
  },
});

const NOT_NOTED: MemoryRefused = {
  kind: 'refused',
  code: 'run_unknown',
  detail: 'The village has not recorded the use of the memory.',
};

/** One observation of an entity, or one relation. `memory_id` is empty if the memory has refused it. */
interface Statement {
  readonly key: string;
  readonly kind: GraphEntry['kind'];
  readonly name: string;
  readonly type: string;
  readonly to: string | null;
  /** Null for a relation. */
  readonly observation: string | null;
  readonly memory_id: string;
}

const keyOf = ({ kind, name, type, to, observation }: Omit<Statement, 'key' | 'memory_id'>): string =>
  JSON.stringify(kind === 'entity' ? [name, observation] : [name, type, to]);
const statement = (parts: Omit<Statement, 'key'>): Statement => ({ ...parts, key: keyOf(parts) });

const entryOf = ({ kind, name, type, to, observation, memory_id }: Statement): GraphEntry => {
  return { kind, name, type, to, memory_id, observations: observation === null ? [] : [observation] };
};

const statementsOf = (entries: readonly GraphEntry[]): ReadonlyMap<string, Statement> =>
  new Map(
    entries.map((entry) => {
      const made = statement({ ...entry, observation: entry.observations[0] ?? null });
      return [made.key, made];
    }),
  );

function statementsIn({ entities, relations }: GraphFile): readonly Statement[] {
  const none = { to: null, memory_id: '' };
  const observed = [...entities].flatMap(([name, { type, observations }]) =>
    [...observations].map((observation) => statement({ ...none, kind: 'entity', name, type, observation })),
  );
  const related = [...relations.values()].map(({ from, to, relationType }) =>
    statement({ ...none, kind: 'relation', name: from, type: relationType, to, observation: null }),
  );
  return [...observed, ...related];
}

/** Remembers statements for the people of the run. Returns their ids by key, empty for refused ones; null if the API refuses. */
async function keep(
  ports: Ports,
  { run, fresh, left }: Readonly<{ run: string; fresh: readonly Statement[]; left: boolean }>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | null> {
  const audience = ports.audienceOf(run);
  const kept = new Map<string, string>();
  for (let at = 0; at < fresh.length; at += NOTED_MAX) {
    const batch = fresh.slice(at, at + NOTED_MAX).map((line) => ({ line, id: ports.nextId() }));
    const written = batch.map(({ id }) => id);
    const noted = await ports.note(run, written, signal);
    if (noted === null) return null;
    const isOutside = left || noted.tainted.length > 0;
    const notes = batch.map(({ line, id }) => ({ ...wordsOf(line), id, audience, isOutside }));
    for (const [index, result] of (await ports.memory.rememberAll(notes)).entries())
      kept.set(batch[index]?.line.key ?? '', 'id' in result ? result.id : '');
  }
  return kept;
}

const wordsOf = ({ name, type, to, observation }: Statement): Pick<NewNote, 'text' | 'about'> => ({
  text: observation ?? `${type} ${to ?? ''}`,
  about: name === '' ? null : name,
});

interface Missing extends Pick<FoundFile, 'file'> {
  readonly base: ReadonlyMap<string, Statement>;
  readonly lines: readonly Statement[];
}

/** Forgets what a program has deleted from the file, if the people of the run may forget it. */
function forgetMissing({ memory, audienceOf }: Ports, run: string, { file, base, lines }: Missing): void {
  if (file === null || file.unreadable.length > 0) return;
  const reader = { present: audienceOf(run), repository: null };
  const there = new Set(lines.map(({ key }) => key));
  for (const { key, memory_id: id } of base.values()) if (!there.has(key) && id !== '') memory.forget(id, reader);
}

/**
 * A line whose memory still holds; null if it is not taken yet, was forgotten, has ended or was corrected. The words of a correction stay
 * out of the file: they are for its people alone.
 */
function currentOf(memory: Ports['memory'], line: Statement, id: string | undefined): Statement | null {
  if (id === undefined) return null;
  if (id === '') return line;
  const found = memory.get(id);
  return found === null || !isInForce(found, Date.now()) ? null : { ...line, memory_id: id };
}

/** The newest facts for everybody, without text from outside, as far as a file has room for them. */
function commonStatements(memory: Ports['memory']): ReadonlyMap<string, Statement> {
  const facts = memory.list({ present: 'public', repository: null }, COMMON_MAX, { kind: 'fact', inForce: true });
  const common = new Map<string, Statement>();
  let chars = 0;
  for (const fact of facts) {
    if (fact.kind !== 'fact' || fact.taint !== 'none') continue;
    chars += fact.subject.length + fact.text.length;
    if (chars > COMMON_MAX_CHARS) break;
    const name = fact.subject === NO_SUBJECT ? OWN_ENTITY : fact.subject;
    const parts = { kind: 'entity' as const, name, type: ENTITY_TYPE, to: null };
    const made = statement({ ...parts, observation: fact.text, memory_id: fact.id });
    common.set(made.key, made);
  }
  return common;
}

/** The entries of the new file: the entities of the old one without observations, and all statements. Pure. */
function joined(file: GraphFile | null, statements: readonly Statement[]): readonly GraphEntry[] {
  const entities = new Map<string, { type: string; observations: Set<string> }>();
  for (const [name, { type, observations }] of file?.entities ?? [])
    if (observations.size === 0) entities.set(name, { type, observations: new Set() });
  for (const { kind, name, type, observation } of statements) {
    if (kind !== 'entity' || observation === null) continue;
    const known = entities.get(name) ?? { type, observations: new Set() };
    entities.set(name, { type: known.type, observations: known.observations.add(observation) });
  }
  const made = [...entities].map(([name, { type, observations }]): GraphEntry => {
    return { memory_id: '', kind: 'entity', name, type, to: null, observations: [...observations] };
  });
  return [...made, ...statements.filter(({ kind }) => kind === 'relation').map(entryOf)];
}
