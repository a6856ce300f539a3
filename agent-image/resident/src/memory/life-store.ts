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
import { DIARY, Entity, NOTE } from './entity.ts';

export const MAX_LIFE_BYTES = 1024 * 1024;
/** Maximum number of diary entries; the oldest are dropped. */
export const MAX_DIARY_ENTRIES = 200;

/** The state of the agent's life in the village: its home, plan, stay and knowledge of the board, by name, and its public diary. */
export type LifeStore = Readonly<{
  /** True if an earlier cycle wrote it. */
  livedBefore: boolean;
  recall: (name: string) => Entity | undefined;
  /** Oldest first, at most MAX_DIARY_ENTRIES. */
  diary: () => readonly Entity[];
  /** Appends the entities in one write; they are on disk when it returns. */
  remember: (...entities: readonly Entity[]) => void;
  close: () => void;
}>;

/** No file has this number, so a late write throws. */
const CLOSED = -1;

type Contents = { entities: Map<string, Entity>; diary: Entity[] };

/**
 * Opens the file at `path`, a log of JSON lines, or creates it, from the memory file of an earlier version if there is one. Drops a
 * last line that a crash left incomplete. Writes are synchronous: there is one a turn, so the end of the process need not wait for any.
 */
export function openLifeStore(options: { path: string; from?: string; maxBytes?: number }): LifeStore {
  const { path, from = path, maxBytes = MAX_LIFE_BYTES } = options;
  mkdirSync(dirname(path), { recursive: true });
  const source = existsSync(path) ? path : from;
  const livedBefore = existsSync(source);
  const contents = contentsOf(livedBefore ? readEntities(source).filter(({ entityType }) => entityType !== NOTE) : []);
  rewrite(path, contents);
  let file = openSync(path, 'a');

  return {
    livedBefore,
    ...readingOf(contents),
    remember: (...entities) => {
      for (const entity of entities) keep(contents, entity);
      writeSync(file, entities.map(toLine).join(''));
      fsyncSync(file);
      if (fstatSync(file).size <= maxBytes) return;
      closeSync(file);
      rewrite(path, contents);
      file = openSync(path, 'a');
    },
    close: () => {
      closeSync(file);
      // Another file may get its number.
      file = CLOSED;
    },
  };
}

/** A life that only this process remembers, for an agent whose volume cannot be used. */
export function forgetfulLifeStore(): LifeStore {
  const contents = contentsOf([]);
  return {
    livedBefore: false,
    ...readingOf(contents),
    remember: (...entities) => entities.forEach((entity) => keep(contents, entity)),
    close: () => {},
  };
}

/** The entities of a file in the order of its lines; other lines are skipped. */
export function readEntities(path: string): readonly Entity[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines.flatMap((line) => Entity.safeParse(parseJson(line)).data ?? []);
}

const readingOf = (contents: Contents): Pick<LifeStore, 'recall' | 'diary'> => ({
  recall: (name) => contents.entities.get(name),
  diary: () => contents.diary,
});

function contentsOf(entities: readonly Entity[]): Contents {
  const contents: Contents = { entities: new Map(), diary: [] };
  for (const entity of entities) keep(contents, entity);
  return contents;
}

function keep(contents: Contents, entity: Entity): void {
  if (entity.entityType !== DIARY) {
    contents.entities.set(entity.name, entity);
    return;
  }
  contents.diary.push(entity);
  if (contents.diary.length > MAX_DIARY_ENTRIES) contents.diary.shift();
}

/** Replaces the file atomically: writes a new file, syncs it and renames it. */
function rewrite(path: string, { entities, diary }: Contents): void {
  const beside = `${path}.new`;
  writeAndSync(beside, [...entities.values(), ...diary].map(toLine).join(''));
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
