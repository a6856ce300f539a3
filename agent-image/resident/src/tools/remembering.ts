import type { CallContext } from '@hamlet/engine';
import type { Note } from '../memory/notes.ts';
import { failed, okay, type ToolKit } from './tool-kit.ts';

const ID_CHARS = 12;

const noteInWords = ({ id, text, about, pinned, audience }: Note): string =>
  `- ${id}${pinned ? ', pinned' : ''}${audience === null ? '' : ', private to this conversation'}${about === null ? '' : `, about ${about}`}: ${text}`;

const listInWords = (notes: readonly Note[]): string => notes.map(noteInWords).join('\n') || 'Nothing is remembered.';

const audienceOf = ({ book }: ToolKit, { run, conversation }: CallContext): string =>
  book.find(run)?.audience ?? conversation;

/** The memory stays private to the conversation in which it was made. Its id is that of the call, so a repeated call adds nothing. */
export function remember(
  kit: ToolKit,
  { text, about }: { text: string; about?: string | undefined },
  context: CallContext,
) {
  const id = `m-${context.key.slice(0, ID_CHARS)}`;
  kit.notes.remember({ id, text, about: about ?? null, audience: audienceOf(kit, context) });
  return okay(`Remembered as ${id}.`);
}

export function forget(kit: ToolKit, id: string, context: CallContext) {
  const isGone = kit.notes.forget(id, audienceOf(kit, context));
  // A repeated call finds nothing to forget.
  return isGone || context.attempt > 1
    ? okay(`${id} is forgotten.`)
    : failed('no_such_memory', `There is no memory ${id}.`);
}

export function pin(kit: ToolKit, { id, pinned }: { id: string; pinned: boolean }, context: CallContext) {
  switch (kit.notes.pin(id, pinned, audienceOf(kit, context))) {
    case 'done':
      return okay(`${id} is ${pinned ? 'pinned' : 'no longer pinned'}.`);
    case 'not_found':
      return failed('no_such_memory', `There is no memory ${id}.`);
    case 'too_many':
      return failed('too_many_pins', 'Too many memories are pinned: unpin one first.');
  }
}

export const listMemories = (kit: ToolKit, limit: number, context: CallContext) =>
  okay(listInWords(kit.notes.list(audienceOf(kit, context), limit)));

export const searchMemories = (
  kit: ToolKit,
  { query, limit }: { query: string; limit: number },
  context: CallContext,
) => okay(listInWords(kit.notes.search(query, audienceOf(kit, context), limit)));
