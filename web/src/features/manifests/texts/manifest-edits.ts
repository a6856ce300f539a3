import { MANIFEST_FILES, type ManifestFiles } from '@hamlet/contract';
import { readJson } from '@hamlet/core';
import { isJsonObject } from '../../../client/json.ts';

/** The texts of manifests by the names of their files, in the order of the engine. */
export type Texts = ReadonlyMap<string, string>;

/** A changed file: as it was when the person began to change it, and now. Null: the file is absent. */
type Edit = Readonly<{ was: string | null; now: string | null }>;
export type Edits = ReadonlyMap<string, Edit>;

/** Unsaved changes, and the version of the manifests that they belong to. */
export type ManifestDraft = Readonly<{ version: string | null; edits: Edits }>;

const NO_DRAFT: ManifestDraft = { version: null, edits: new Map() };

const isFile = (name: string): name is ManifestFiles[number]['path'] =>
  (MANIFEST_FILES as readonly string[]).includes(name);

export const textsOf = ({ files }: Readonly<{ files: ManifestFiles }>): Texts =>
  inOrder(new Map(files.map(({ path, text }) => [path, text])));

export const filesOf = (texts: Texts): ManifestFiles =>
  [...inOrder(texts)].flatMap(([path, text]) => (isFile(path) ? [{ path, text }] : []));

const inOrder = (texts: Texts): Texts =>
  new Map(
    MANIFEST_FILES.flatMap((name) => {
      const text = texts.get(name);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );

export function withEdits(saved: Texts, edits: Edits): Texts {
  const texts = new Map(saved);
  for (const [file, { now }] of edits) {
    if (now === null) texts.delete(file);
    else texts.set(file, now);
  }
  return inOrder(texts);
}

/** The edits after a file got a text; null deletes the file. A file that is again as it was has no edit. */
export function edited(saved: Texts, edits: Edits, [file, now]: readonly [file: string, now: string | null]): Edits {
  const was = edits.has(file) ? (edits.get(file)?.was ?? null) : (saved.get(file) ?? null);
  const next = new Map(edits);
  if (now === was) next.delete(file);
  else next.set(file, { was, now });
  return next;
}

/**
 * Puts a draft on top of the manifests as they are saved now. `conflicts`: the files that were changed here and, to another text, there;
 * their edits stay as they are until a person chooses.
 */
export function rebased(
  draft: ManifestDraft,
  current: Readonly<{ version: string | null; texts: Texts }>,
): ManifestDraft & Readonly<{ conflicts: readonly string[] }> {
  const theirs = (file: string): string | null => current.texts.get(file) ?? null;
  const edits = new Map([...draft.edits].filter(([file, { now }]) => now !== theirs(file)));
  const conflicts = [...edits].filter(([file, { was }]) => was !== theirs(file)).map(([file]) => file);
  return { version: conflicts.length > 0 ? draft.version : current.version, edits, conflicts };
}

/** The draft after `sent` was saved: only the texts that the person has typed since. */
export function savedDraft(
  newest: Edits,
  sent: Texts,
  current: Readonly<{ version: string | null; texts: Texts }>,
): ManifestDraft {
  const typed = [...newest].map(([file, { now }]) => [file, { was: sent.get(file) ?? null, now }] as const);
  const { version, edits } = rebased({ version: current.version, edits: new Map(typed) }, current);
  return { version, edits };
}

/** Ends the conflict of one file: with `mine`, the text of this draft replaces theirs when it is saved. */
export function resolved(
  edits: Edits,
  current: Texts,
  [file, whose]: readonly [file: string, 'mine' | 'theirs'],
): Edits {
  const next = new Map(edits);
  const edit = edits.get(file);
  if (whose === 'theirs' || edit === undefined) next.delete(file);
  else next.set(file, { was: current.get(file) ?? null, now: edit.now });
  return next;
}

export function draftText({ version, edits }: ManifestDraft): string {
  return edits.size === 0 ? '' : JSON.stringify({ version, edits: Object.fromEntries(edits) });
}

/** Reads what `draftText` wrote. Leaves out what another version of the page may have stored. */
export function readDraftText(kept: string): ManifestDraft {
  const read = readJson(kept);
  if (!isJsonObject(read) || !isJsonObject(read['edits'])) return NO_DRAFT;
  const edits = Object.entries(read['edits']).flatMap(([file, edit]): readonly [string, Edit][] => {
    if (!isFile(file) || !isJsonObject(edit)) return [];
    const { was, now } = edit;
    return isText(was) && isText(now) ? [[file, { was, now }]] : [];
  });
  const { version } = read;
  return { version: typeof version === 'string' ? version : null, edits: new Map(edits) };
}

const isText = (value: unknown): value is string | null => value === null || typeof value === 'string';

/** The lines of two texts, each with a mark if it is between their common beginning and their common end. */
export function markedLines(mine: string, theirs: string): Readonly<Record<'mine' | 'theirs', readonly MarkedLine[]>> {
  const [left, right] = [mine.split('\n'), theirs.split('\n')];
  const shortest = Math.min(left.length, right.length);
  let head = 0;
  while (head < shortest && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const marked = (lines: readonly string[]): readonly MarkedLine[] =>
    lines.map((text, index) => ({ text, differs: index >= head && index < lines.length - tail }));
  return { mine: marked(left), theirs: marked(right) };
}

export type MarkedLine = Readonly<{ text: string; differs: boolean }>;
