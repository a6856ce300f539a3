import { createHash } from 'node:crypto';
import type { CallContext } from '@hamlet/engine';
import { NOTE_TYPE } from '@hamlet/contract/resident';
import type { MemoryChange, MemoryChangeResult } from '@hamlet/contract';
import type { DocumentHit, Remembered } from '@hamlet/engine/memory';
import { memoryReaderOf, noteMemories } from '../engine/run-book.ts';
import type { Reader } from '../memory/recall.ts';
import { isInForce, NO_SUBJECT } from '../memory/remembered.ts';
import { inOneLine } from '@hamlet/core/shorten';
import { hitInWords, NOT_NOTED, sourceInWords } from './remember-documents.ts';
import { codeOf, failed, fromOutside, okay, type ToolKit, type ToolResult } from './tool-kit.ts';
import { notesOf, searchNotes, type SharedNote } from '../memory/repository-memory.ts';

const ID_CHARS = 12;
/** Maximum number of pieces of documents in one result. They do not count as memories. */
const DOCUMENTS_MAX = 5;
const MEMORY_ID = /^m-[0-9a-f]{12}$/;

const PRIVATE = 'private to the people of this conversation';

const memoryInWords = (tainted: readonly string[]) =>
  function inWords(memory: Remembered): string {
    const { id, text, pinned, audience } = memory;
    const facts = [
      ...(pinned ? ['pinned'] : []),
      ...(tainted.includes(id) ? ['from outside'] : []),
      ...(audience === 'public' ? [] : [PRIVATE]),
      ...originOf(memory),
    ];
    return `- ${inOneLine(`${[id, ...facts].join(', ')}: ${text}`)}`;
  };

function originOf(memory: Remembered): readonly string[] {
  if (memory.kind === 'evidence') return [`${memory.speaker} on ${new Date(memory.at).toISOString().slice(0, 10)}`];
  const ended = isInForce(memory, Date.now()) ? [] : ['no longer true'];
  return memory.subject === NO_SUBJECT ? ended : [...ended, `about ${memory.subject}`];
}

const readerAt = ({ book }: ToolKit, { run }: CallContext): Reader => memoryReaderOf(book.find(run));

interface Found {
  readonly memories: readonly Remembered[];
  readonly hits: readonly DocumentHit[];
}

/** Memories and pieces of documents as text, once the API has recorded that the run reads them. */
async function shown(kit: ToolKit, { memories, hits }: Found, { run, signal }: CallContext): Promise<ToolResult> {
  const sources = new Map(hits.map(({ source, taint }) => [source, { id: source, taint }]));
  const noted = await noteMemories(kit, { run, recalled: [...memories, ...sources.values()], signal });
  if (noted === null) return NOT_NOTED;
  const kept = memories.filter(({ id }) => !noted.forgotten.includes(id));
  const cited = hits.filter(({ source }) => !noted.forgotten.includes(source));
  kit.ownMemory.use(kept.map(({ id }) => id));
  const text = [...kept.map(memoryInWords(noted.tainted)), ...cited.map(hitInWords)].join('\n');
  // The text of a file is data for the model, even if the agent wrote it.
  return noted.tainted.length > 0 || cited.length > 0 ? fromOutside(text) : okay(text);
}

/**
 * The memory is for the people of the run; in a run of a repository all agents that work there share it with them. Its id is that of
 * the call, so a repeated call adds nothing.
 */
export async function remember(
  kit: ToolKit,
  { text, about }: { text: string; about?: string | undefined },
  context: CallContext,
): Promise<ToolResult> {
  if (kit.repositoryMemory.has(context.run)) return rememberShared(kit, { text, about }, context);
  const audience = kit.book.find(context.run)?.audience;
  if (audience === undefined) return NOT_NOTED;
  const id = `m-${context.key.slice(0, ID_CHARS)}`;
  // The API records the memory before the volume has it: a record without a memory is harmless.
  const noted = await noteMemories(kit, { run: context.run, written: [id], signal: context.signal });
  if (noted === null) return NOT_NOTED;
  const kept = await kit.ownMemory.remember({
    id,
    text,
    about: about ?? null,
    audience,
    isOutside: noted.tainted.length > 0,
  });
  return 'id' in kept ? okay(`Remembered as ${kept.id}.`) : failed('memory_refused', kept.refused);
}

const NO_SUCH_MEMORY = (id: string) => failed('no_such_memory', `There is no memory ${id}.`);

export async function forget(kit: ToolKit, id: string, context: CallContext): Promise<ToolResult> {
  if (kit.repositoryMemory.has(context.run) && MEMORY_ID.test(id)) {
    const shared = await forgetShared(kit, id, context);
    if (shared.kind !== 'failed' || shared.code !== 'no_such_memory') return shared;
  }
  const isGone = await forgetOwn(kit, id, readerAt(kit, context));
  // A repeated call finds nothing to forget.
  return isGone || context.attempt > 1 ? okay(`${id} is forgotten.`) : NO_SUCH_MEMORY(id);
}

/** Forgets a memory, or the documents of a source. The people of one conversation forget nothing that everybody may know. */
async function forgetOwn({ ownMemory }: ToolKit, id: string, reader: Reader): Promise<boolean> {
  const seen = { audience: reader.present, place: reader.repository };
  const source = ownMemory.documents?.sources(seen).find((each) => each.id === id && each.audience !== 'public');
  if (source === undefined) return ownMemory.forget(id, reader);
  return (await ownMemory.documents?.remove(id, seen)) === true;
}

export async function pin(
  kit: ToolKit,
  { id, pinned }: { id: string; pinned: boolean },
  context: CallContext,
): Promise<ToolResult> {
  if (kit.repositoryMemory.has(context.run) && MEMORY_ID.test(id)) {
    const shared = await pinShared(kit, { id, pinned }, context);
    if (shared.kind !== 'failed' || shared.code !== 'no_such_memory') return shared;
  }
  switch (kit.ownMemory.pin(id, pinned, readerAt(kit, context))) {
    case 'done':
      return okay(`${id} is ${pinned ? 'pinned' : 'no longer pinned'}.`);
    case 'no_such_memory':
      return NO_SUCH_MEMORY(id);
    case 'too_many_pins':
      return failed('too_many_pins', 'Too many memories are pinned: unpin one first.');
  }
}

export async function listMemories(kit: ToolKit, limit: number, context: CallContext): Promise<ToolResult> {
  const reader = readerAt(kit, context);
  const own = kit.ownMemory.list(reader, limit);
  const sources = kit.ownMemory.documents?.sources({ audience: reader.present, place: reader.repository }) ?? [];
  const listed = await joined(kit, { own, hits: [], limit }, context);
  if (sources.length === 0 || listed.kind !== 'ok') return listed;
  return { ...listed, text: `${listed.text}\n${sources.slice(0, limit).map(sourceInWords).join('\n')}` };
}

export async function searchMemories(
  kit: ToolKit,
  { query, limit }: { query: string; limit: number },
  context: CallContext,
): Promise<ToolResult> {
  const reader = readerAt(kit, context);
  const own = await kit.ownMemory.search(query, reader, limit);
  const asked = { audience: reader.present, place: reader.repository, k: Math.min(limit, DOCUMENTS_MAX) };
  const hits = (await kit.ownMemory.documents?.search(query, asked)) ?? [];
  return joined(kit, { own, hits, query, limit }, context);
}

interface Showing {
  readonly own: readonly Remembered[];
  readonly hits: readonly DocumentHit[];
  readonly query?: string;
  readonly limit: number;
}

/** The agent's own memories, after those of the repository in which the run works. */
async function joined(kit: ToolKit, { own, hits, ...asked }: Showing, context: CallContext): Promise<ToolResult> {
  const shared = kit.repositoryMemory.has(context.run) ? await showShared(kit, asked, context) : null;
  if (own.length + hits.length === 0) return shared ?? okay('Nothing is remembered.');
  const ours = await shown(kit, { memories: own, hits }, context);
  if (shared?.kind !== 'ok' || ours.kind !== 'ok') return shared === null ? ours : shared;
  return { ...ours, ...shared, text: `${shared.text}\n${ours.text}` };
}

type Kit = Pick<ToolKit, 'repositoryMemory' | 'agentId'>;

const WORDS: Readonly<Record<Exclude<MemoryChangeResult, 'done'>, string>> = {
  no_such_memory: 'There is no such memory in this repository: read the list.',
  not_yours: 'Another agent created this memory: add a memory of your own, or ask a person to delete this one.',
  memory_full: 'The memory of this repository is full: forget some of your memories.',
  too_many_pins: 'Too many memories are pinned: unpin one first.',
};

/** Makes one change; returns the text `done` if the API has stored it. */
async function changeShared(
  { repositoryMemory }: Kit,
  { change, done }: { readonly change: MemoryChange; readonly done: string },
  { run, attempt, signal }: CallContext,
): Promise<ToolResult> {
  const answer = await repositoryMemory.use(run, { changes: [change], read: 'none' }, signal);
  if (answer.kind === 'refused') return failed(codeOf(answer.code), answer.detail);
  const [result = 'done'] = answer.value.results;
  // A repeated call finds nothing to forget.
  const isRepeated = change.op === 'forget' && result === 'no_such_memory' && attempt > 1;
  return result === 'done' || isRepeated ? okay(done) : failed(result, WORDS[result]);
}

/** The id is that of the call, so a repeated call adds nothing. */
function rememberShared(
  kit: Kit,
  { text, about }: { readonly text: string; readonly about?: string | undefined },
  context: CallContext,
): Promise<ToolResult> {
  const id = `m-${createHash('sha256').update(context.key).digest('hex').slice(0, ID_CHARS)}`;
  const words = { name: id, type: NOTE_TYPE, observations: [text] };
  const change = { op: 'add' as const, ...words, ...(about === undefined ? {} : { about }) };
  const whom = kit.repositoryMemory.isPrivate(context.run) ? 'the people of this conversation' : 'all who use it';
  return changeShared(kit, { change, done: `Remembered as ${id} in this repository, for ${whom}.` }, context);
}

async function forgetShared(kit: Kit, id: string, context: CallContext): Promise<ToolResult> {
  return changeShared(kit, { change: { op: 'forget', memory_id: id }, done: `${id} is forgotten.` }, context);
}

async function pinShared(
  kit: Kit,
  { id, pinned }: { readonly id: string; readonly pinned: boolean },
  context: CallContext,
): Promise<ToolResult> {
  const done = `${id} is ${pinned ? 'pinned' : 'no longer pinned'}.`;
  return changeShared(kit, { change: { op: 'pin', memory_id: id, pinned }, done }, context);
}

/** Lists or searches all entities of the memory. The API taints the run if some of them contain outside text. */
async function showShared(
  kit: Kit,
  { query, limit }: { readonly query?: string; readonly limit: number },
  { run, signal }: CallContext,
): Promise<ToolResult> {
  const answer = await kit.repositoryMemory.use(run, { read: 'all' }, signal);
  if (answer.kind === 'refused') return failed(codeOf(answer.code), answer.detail);
  const all = notesOf(answer.value.entries);
  const notes = (query === undefined ? all : searchNotes(all, query)).slice(0, limit);
  if (notes.length === 0) return okay('Nothing is remembered in this repository.');
  const text = notes.map((note) => inWords(note, kit.agentId)).join('\n');
  return notes.some(({ isOutside }) => isOutside) ? fromOutside(text) : okay(text);
}

function inWords({ id, text, about, pinned, isOutside, isPrivate, by }: SharedNote, reader: string): string {
  const facts = [
    ...(pinned ? ['pinned'] : []),
    ...(by === reader ? [] : [`by ${by}`]),
    ...(isOutside ? ['from outside'] : []),
    ...(isPrivate ? [PRIVATE] : []),
    ...(about === null ? [] : [`about ${about}`]),
  ];
  return `- ${inOneLine(`${[id, ...facts].join(', ')}: ${text}`)}`;
}
