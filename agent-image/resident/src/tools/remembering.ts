import { createHash } from 'node:crypto';
import type { CallContext } from '@hamlet/engine';
import { NOTE_TYPE } from '@hamlet/contract/resident';
import type { MemoryChange, MemoryChangeResult } from '@hamlet/contract';
import { noteMemories } from '../engine/run-book.ts';
import { searchIn, type Note } from '../memory/notes.ts';
import { codeOf, failed, fromOutside, okay, type ToolKit, type ToolResult } from './tool-kit.ts';
import { notesOf, type SharedNote } from '../memory/repository-memory.ts';

const ID_CHARS = 12;

const noteInWords = (tainted: readonly string[]) =>
  function inWords({ id, text, about, pinned, audience }: Note): string {
    const facts = [
      ...(pinned ? ['pinned'] : []),
      ...(tainted.includes(id) ? ['from outside'] : []),
      ...(audience === null ? [] : ['private to this conversation']),
      ...(about === null ? [] : [`about ${about}`]),
    ];
    return `- ${[id, ...facts].join(', ')}: ${text}`;
  };

const audienceOf = ({ book }: ToolKit, { run, conversation }: CallContext): string =>
  book.find(run)?.audience ?? conversation;

const NOT_NOTED = failed('memory_not_noted', 'The village has not recorded the use of the memory. Try again later.');

/** The notes as text, once the API has recorded that the run reads them. */
async function shown(kit: ToolKit, notes: readonly Note[], { run, signal }: CallContext): Promise<ToolResult> {
  if (notes.length === 0) return okay('Nothing is remembered.');
  const tainted = await noteMemories(kit, { run, recalled: notes.map(({ id }) => id), signal });
  return tainted === null ? NOT_NOTED : okay(notes.map(noteInWords(tainted)).join('\n'));
}

/**
 * The memory stays private to the conversation in which it was made; in a run of a repository it belongs to the repository. Its
 * id is that of the call, so a repeated call adds nothing.
 */
export async function remember(
  kit: ToolKit,
  { text, about }: { text: string; about?: string | undefined },
  context: CallContext,
): Promise<ToolResult> {
  if (kit.repositoryMemory.has(context.run)) return rememberShared(kit, { text, about }, context);
  const id = `m-${context.key.slice(0, ID_CHARS)}`;
  // The API records the memory before the file stores it: a record without a memory is harmless.
  const noted = await noteMemories(kit, { run: context.run, written: [id], signal: context.signal });
  if (noted === null) return NOT_NOTED;
  kit.notes.remember({ id, text, about: about ?? null, audience: audienceOf(kit, context) });
  return okay(`Remembered as ${id}.`);
}

export async function forget(kit: ToolKit, id: string, context: CallContext): Promise<ToolResult> {
  if (kit.repositoryMemory.has(context.run)) return forgetShared(kit, id, context);
  const isGone = kit.notes.forget(id, audienceOf(kit, context));
  // A repeated call finds nothing to forget.
  return isGone || context.attempt > 1
    ? okay(`${id} is forgotten.`)
    : failed('no_such_memory', `There is no memory ${id}.`);
}

export async function pin(
  kit: ToolKit,
  { id, pinned }: { id: string; pinned: boolean },
  context: CallContext,
): Promise<ToolResult> {
  if (kit.repositoryMemory.has(context.run)) return pinShared(kit, { id, pinned }, context);
  switch (kit.notes.pin(id, pinned, audienceOf(kit, context))) {
    case 'done':
      return okay(`${id} is ${pinned ? 'pinned' : 'no longer pinned'}.`);
    case 'not_found':
      return failed('no_such_memory', `There is no memory ${id}.`);
    case 'too_many':
      return failed('too_many_pins', 'Too many memories are pinned: unpin one first.');
  }
}

export async function listMemories(kit: ToolKit, limit: number, context: CallContext): Promise<ToolResult> {
  if (kit.repositoryMemory.has(context.run)) return showShared(kit, { limit }, context);
  return shown(kit, kit.notes.list(audienceOf(kit, context), limit), context);
}

export async function searchMemories(
  kit: ToolKit,
  { query, limit }: { query: string; limit: number },
  context: CallContext,
): Promise<ToolResult> {
  if (kit.repositoryMemory.has(context.run)) return showShared(kit, { query, limit }, context);
  return shown(kit, kit.notes.search(query, audienceOf(kit, context), limit), context);
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

const ID_DIGITS = 12;

/** The id is that of the call, so a repeated call adds nothing. */
function rememberShared(
  kit: Kit,
  { text, about }: { readonly text: string; readonly about?: string | undefined },
  context: CallContext,
): Promise<ToolResult> {
  const id = `m-${createHash('sha256').update(context.key).digest('hex').slice(0, ID_DIGITS)}`;
  const words = { name: id, type: NOTE_TYPE, observations: [text] };
  const change = { op: 'add' as const, ...words, ...(about === undefined ? {} : { about }) };
  return changeShared(kit, { change, done: `Remembered as ${id}, for all who work in this repository.` }, context);
}

const MEMORY_ID = /^m-[0-9a-f]{12}$/;

async function forgetShared(kit: Kit, id: string, context: CallContext): Promise<ToolResult> {
  if (!MEMORY_ID.test(id)) return failed('no_such_memory', WORDS.no_such_memory);
  return changeShared(kit, { change: { op: 'forget', memory_id: id }, done: `${id} is forgotten.` }, context);
}

async function pinShared(
  kit: Kit,
  { id, pinned }: { readonly id: string; readonly pinned: boolean },
  context: CallContext,
): Promise<ToolResult> {
  if (!MEMORY_ID.test(id)) return failed('no_such_memory', WORDS.no_such_memory);
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
  const notes = query === undefined ? all.slice(0, limit) : searchIn(all, query, limit);
  if (notes.length === 0) return okay('Nothing is remembered in this repository.');
  const text = notes.map((note) => inWords(note, kit.agentId)).join('\n');
  return notes.some(({ isOutside }) => isOutside) ? fromOutside(text) : okay(text);
}

function inWords({ id, text, about, pinned, isOutside, by }: SharedNote, reader: string): string {
  const facts = [
    ...(pinned ? ['pinned'] : []),
    ...(by === reader ? [] : [`by ${by}`]),
    ...(isOutside ? ['from outside'] : []),
    ...(about === null ? [] : [`about ${about}`]),
  ];
  return `- ${[id, ...facts].join(', ')}: ${text}`;
}
