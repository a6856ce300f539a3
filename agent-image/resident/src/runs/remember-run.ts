import type { Run } from '@hamlet/contract';
import { DIARY, entityOf } from '../memory/entity.ts';
import type { MemoryStore } from '../memory/memory-store.ts';

const WORDS_MAX = 300;

function short(text: string): string {
  const characters = [...text];
  return characters.length <= WORDS_MAX ? text : `${characters.slice(0, WORDS_MAX - 1).join('')}…`;
}

/** Writes a run and what became of it to the diary. A full disk costs the memory, not the run. */
export function rememberRun(memory: Pick<MemoryStore, 'remember'>, { run_id, prompt, schedule }: Run, words: string): void {
  const asker = schedule === null ? 'I was asked' : `The schedule ${schedule.name} asked`;
  try {
    memory.remember(entityOf(run_id, DIARY, [`${asker}: “${short(prompt)}”. ${short(words)}`]));
  } catch {
    // The turn's record and the village have the run all the same.
  }
}
