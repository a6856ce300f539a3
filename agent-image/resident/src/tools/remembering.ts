import type { CallContext } from '@hamlet/engine';
import { noteMemories } from '../engine/run-book.ts';
import type { Note } from '../memory/notes.ts';
import { forgetShared, pinShared, rememberShared, showShared } from './remembering-shared.ts';
import { failed, okay, type ToolKit, type ToolResult } from './tool-kit.ts';

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

const NOT_NOTED = failed('memory_not_noted', 'The village has not noted the use of the memory. Try again later.');

/** The notes in words, once the API knows that the run reads them. */
async function shown(kit: ToolKit, notes: readonly Note[], { run, signal }: CallContext): Promise<ToolResult> {
  if (notes.length === 0) return okay('Nothing is remembered.');
  const tainted = await noteMemories(kit, { run, recalled: notes.map(({ id }) => id), signal });
  return tainted === null ? NOT_NOTED : okay(notes.map(noteInWords(tainted)).join('\n'));
}

/**
 * The memory stays private to the conversation in which it was made; in a run of a repository it belongs to the repository. Its id is that of
 * the call, so a repeated call adds nothing.
 */
export async function remember(
  kit: ToolKit,
  { text, about }: { text: string; about?: string | undefined },
  context: CallContext,
): Promise<ToolResult> {
  if (kit.repositoryMemory.has(context.run)) return rememberShared(kit, { text, about }, context);
  const id = `m-${context.key.slice(0, ID_CHARS)}`;
  // The API knows the memory before the file has it: a mark without a memory does no harm.
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
