import { closeSync, existsSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readJson } from '@hamlet/core/read-json';
import { replaceFile, writeWhole } from '../process/replace-file.ts';
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
  /** Appends the entities; they are on disk when it returns. On a full disk it throws, and the file stays as it was. */
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
      append(file, entities.map(toLine).join(''));
      for (const entity of entities) keep(contents, entity);
      if (fstatSync(file).size <= maxBytes) return;
      file = shortened(path, contents, file);
    },
    close: () => {
      closeSync(file);
      // Another file may get the same number.
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
  return lines.flatMap((line) => Entity.safeParse(readJson(line)).data ?? []);
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

const rewrite = (path: string, { entities, diary }: Contents): void =>
  replaceFile(path, [...entities.values(), ...diary].map(toLine).join(''));

/** Replaces a long file, and returns the new one. On a disk without room the long one stays, and the next write tries again. */
function shortened(path: string, contents: Contents, long: number): number {
  try {
    rewrite(path, contents);
  } catch {
    return long;
  }
  const short = openSync(path, 'a');
  closeSync(long);
  return short;
}

/** Leaves no part of a line behind, which would spoil the next one. */
function append(file: number, lines: string): void {
  const { size } = fstatSync(file);
  try {
    writeWhole(file, lines);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

const toLine = (entity: Entity): string => `${JSON.stringify(entity)}\n`;
