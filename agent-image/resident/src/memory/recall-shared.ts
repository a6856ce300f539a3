import { recallFrom } from './notes.ts';
import { notesOf, type RepositoryMemory } from './repository-memory.ts';

/**
 * Memories that a message may need. Those of others do not enter a prompt by themselves: a line says that they are there, and the model may
 * read them.
 */
export async function recallShared(
  memory: RepositoryMemory,
  { run, text }: { readonly run: string; readonly text: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answer = await memory.use(run, { read: 'own' }, signal);
  if (answer.kind === 'refused') return [];
  const { entries, outside } = answer.value;
  const recalled = recallFrom(notesOf(entries), text).map(({ about, text: words }) =>
    about === null ? `- ${words}` : `- about ${about}: ${words}`,
  );
  return outside === 0 ? recalled : [...recalled, moreOf(outside)];
}

const moreOf = (outside: number): string =>
  `- The memory of this repository has ${outside} more from others or from outside: list_memories and search_memories show them.`;
