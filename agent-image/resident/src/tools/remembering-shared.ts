import { createHash } from 'node:crypto';
import { NOTE_TYPE } from '@hamlet/contract/resident';
import type { MemoryChange, MemoryChangeResult } from '@hamlet/contract';
import type { CallContext } from '@hamlet/engine';
import { searchIn } from '../memory/notes.ts';
import { notesOf, type SharedNote } from '../memory/repository-memory.ts';
import { codeOf, failed, fromOutside, okay, type ToolKit, type ToolResult } from './tool-kit.ts';

type Kit = Pick<ToolKit, 'repositoryMemory' | 'agentId'>;

const WORDS: Readonly<Record<Exclude<MemoryChangeResult, 'done'>, string>> = {
  no_such_memory: 'There is no such memory in this repository: read the list.',
  not_yours:
    'Another agent began this memory: add what you know as a memory of your own, or ask a person to delete it.',
  memory_full: 'The memory of this repository is full: forget memories of yours that are not needed.',
  too_many_pins: 'Too many memories are pinned: unpin one first.',
};

/** Makes one change; `done` is said if the API has kept it. */
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
export function rememberShared(
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

export async function forgetShared(kit: Kit, id: string, context: CallContext): Promise<ToolResult> {
  if (!MEMORY_ID.test(id)) return failed('no_such_memory', WORDS.no_such_memory);
  return changeShared(kit, { change: { op: 'forget', memory_id: id }, done: `${id} is forgotten.` }, context);
}

export async function pinShared(
  kit: Kit,
  { id, pinned }: { readonly id: string; readonly pinned: boolean },
  context: CallContext,
): Promise<ToolResult> {
  if (!MEMORY_ID.test(id)) return failed('no_such_memory', WORDS.no_such_memory);
  const done = `${id} is ${pinned ? 'pinned' : 'no longer pinned'}.`;
  return changeShared(kit, { change: { op: 'pin', memory_id: id, pinned }, done }, context);
}

/** Lists or searches all entities of the memory. The API taints the run if strangers wrote some of them. */
export async function showShared(
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
