import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DIARY, Entity, entityOf, type MemorySeed } from './entity.ts';

export const MAX_MEMORY_BYTES = 1024 * 1024;
/** Maximum number of diary entries; the oldest are dropped. */
export const MAX_DIARY_ENTRIES = 200;
/** Maximum number of other entities; the least recently changed that are not pinned are dropped. */
export const MAX_ENTITIES = 500;
const MAX_FOREIGN_LINES = 500;

export type MemoryStore = Readonly<{
  /** True if the file existed: an earlier cycle wrote it. */
  livedBefore: boolean;
  recall: (name: string) => Entity | undefined;
  /** Oldest first, at most MAX_DIARY_ENTRIES. */
  diary: () => readonly Entity[];
  all: (entityType: string) => readonly Entity[];
  forget: (name: string) => boolean;
  /** Appends the entities in one write; they are on disk when it returns. */
  remember: (...entities: readonly Entity[]) => void;
  close: () => void;
}>;

type Contents = { entities: Map<string, Entity>; diary: Entity[]; foreign: string[] };

/**
 * Opens the memory at `path`, a log of JSON lines, or creates it from the seed. Drops a last line that a crash left incomplete.
 * Writes are synchronous: there is one a turn, so the end of the process need not wait for any.
 */
export function openMemory(options: { path: string; seed: MemorySeed; maxBytes?: number }): MemoryStore {
  const { path, seed, maxBytes = MAX_MEMORY_BYTES } = options;
  mkdirSync(dirname(path), { recursive: true });
  const livedBefore = existsSync(path);
  const contents = livedBefore ? readContents(path) : seedContents(seed);
  rewrite(path, contents);
  let file = openSync(path, 'a');

  return {
    livedBefore,
    recall: (name) => contents.entities.get(name),
    diary: () => contents.diary,
    all: (entityType) => allOf(contents, entityType),
    forget: (name) => {
      if (!contents.entities.delete(name)) return false;
      closeSync(file);
      rewrite(path, contents);
      file = openSync(path, 'a');
      return true;
    },
    remember: (...entities) => {
      for (const entity of entities) keep(contents, entity);
      writeSync(file, entities.map(toLine).join(''));
      fsyncSync(file);
      if (fstatSync(file).size <= maxBytes) return;
      closeSync(file);
      rewrite(path, contents);
      file = openSync(path, 'a');
    },
    close: () => closeSync(file),
  };
}

/** A memory only in this process, for an agent whose volume cannot be used. */
export function forgetfulMemory(seed: MemorySeed): MemoryStore {
  const contents = seedContents(seed);
  return {
    livedBefore: false,
    recall: (name) => contents.entities.get(name),
    diary: () => contents.diary,
    all: (entityType) => allOf(contents, entityType),
    forget: (name) => contents.entities.delete(name),
    remember: (...entities) => entities.forEach((entity) => keep(contents, entity)),
    close: () => {},
  };
}

const allOf = ({ entities }: Contents, entityType: string): readonly Entity[] =>
  [...entities.values()].filter((entity) => entity.entityType === entityType);

function seedContents(seed: MemorySeed): Contents {
  const entities = seed.entities.map(({ name, entityType, observations }) => entityOf(name, entityType, observations));
  return { entities: new Map(entities.map((entity) => [entity.name, entity])), diary: [], foreign: [] };
}

function readContents(path: string): Contents {
  const contents: Contents = { entities: new Map(), diary: [], foreign: [] };
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  for (const line of lines) {
    const parsed = parseJson(line);
    const entity = Entity.safeParse(parsed);
    if (entity.success) keep(contents, entity.data);
    else if (parsed !== undefined && contents.foreign.length < MAX_FOREIGN_LINES) contents.foreign.push(line);
  }
  return contents;
}

/** Moves an entity to the end of the map, so that the first is the least recently changed. */
function keep(contents: Contents, entity: Entity): void {
  if (entity.entityType === DIARY) {
    contents.diary.push(entity);
    if (contents.diary.length > MAX_DIARY_ENTRIES) contents.diary.shift();
    return;
  }
  contents.entities.delete(entity.name);
  contents.entities.set(entity.name, entity);
  if (contents.entities.size <= MAX_ENTITIES) return;
  const oldest = [...contents.entities.values()].find(({ pinned }) => pinned !== true);
  if (oldest !== undefined) contents.entities.delete(oldest.name);
}

/** Replaces the file atomically: writes a new file, syncs it and renames it. */
function rewrite(path: string, { entities, diary, foreign }: Contents): void {
  const lines = [...foreign.map((line) => `${line}\n`), ...[...entities.values(), ...diary].map(toLine)];
  const beside = `${path}.new`;
  writeAndSync(beside, lines.join(''));
  renameSync(beside, path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function writeAndSync(path: string, text: string): void {
  const file = openSync(path, 'w');
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
}

function toLine(entity: Entity): string {
  return `${JSON.stringify(entity)}\n`;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
