import type { CallContext, ToolOutcome } from '@hamlet/engine';
import type { Counts, DocumentHit, Ingested, SkipReason, Source, SourceFile } from '@hamlet/engine/memory';
import { memoryReaderOf, noteMemories } from '../engine/run-book.ts';
import { documentSize } from '../memory/document-size.ts';
import { failed, okay, type ToolKit } from './tool-kit.ts';

const ID_CHARS = 12;
const VERSION_DIGITS = 12;

/** A folder or a file with the files that it has now. */
export interface NamedFiles {
  readonly name: string;
  readonly files: AsyncIterable<SourceFile> | Iterable<SourceFile>;
}

/** Makes the agent's memory of a folder equal to its files, for the people of the run. */
export type RememberDocuments = (read: NamedFiles, context: CallContext) => Promise<ToolOutcome>;

type Kit = Pick<ToolKit, 'ownMemory' | 'book' | 'work' | 'rest' | 'random'>;

export const rememberDocumentsWith =
  (kit: Kit): RememberDocuments =>
  async ({ name, files }, { run, key, signal, output }) => {
    const { documents } = kit.ownMemory;
    const booked = kit.book.find(run);
    if (documents === null) return failed('memory_refused', 'The memory of this agent cannot be opened now.');
    if (booked === undefined) return NOT_NOTED;
    const { repository } = memoryReaderOf(booked);
    const source = { name, audience: booked.audience, repository };
    const id = documents.find(source)?.id ?? `doc-${key.slice(0, ID_CHARS)}`;
    // The API records the source before the volume has it: a record without a source is harmless.
    const noted = await noteMemories(kit, { run, written: [id], signal });
    if (noted === null) return NOT_NOTED;
    const taint = noted.tainted.length > 0 ? 'outside' : 'none';
    const how = { signal, onProgress: ({ files: read }: Counts) => output(`${read} files\n`) };
    const ingested = await documents.ingest({ ...source, id, taint }, files, how);
    return ingested.outcome === 'refused' ? failed(ingested.reason, ingested.detail) : okay(inWords(name, ingested));
  };

/** The result of a call whose memories the API did not record. */
export const NOT_NOTED = failed(
  'memory_not_noted',
  'The village has not recorded the use of the memory. Try again later.',
);

const SKIPPED: Readonly<Record<SkipReason, string>> = {
  binary: 'are not UTF-8 text',
  generated: 'are generated',
  secret: 'have names of files with keys or passwords',
  unreadable: 'are unreadable or too large',
  no_room: 'have no room',
};

/** The result of a pass. Pure. */
function inWords(name: string, { id, counts }: Extract<Ingested, { outcome: 'ingested' }>): string {
  const { unchanged, replaced, removed, skipped } = counts;
  const left = Object.entries(SKIPPED).flatMap(([reason, words]) => {
    const count = skipped[reason as SkipReason];
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return [
    `${name} is remembered as ${id}: ${documentSize(counts)} (${unchanged} unchanged, ${replaced} changed, ${removed} gone).`,
    ...(left.length === 0 ? [] : [`Left out: ${left.join(', ')}.`]),
  ].join('\n');
}

/** A source as a line of a list. Pure. */
export const sourceInWords = (source: Source): string =>
  `- ${source.id}, documents: ${source.name}, ${documentSize(source)}, since ${new Date(source.since).toISOString().slice(0, 10)}${source.isWhole ? '' : ', incomplete: call remember_documents again'}`;

/** A piece of a document with its citation. Pure. */
export const hitInWords = ({ source, name, path, from, to, sha256, text }: DocumentHit): string =>
  `[${path}:${from}–${to}] of ${name} (${source}), version ${sha256.slice(0, VERSION_DIGITS)}\n${text}`;
