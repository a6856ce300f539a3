import type { Run } from '@hamlet/contract';
import { quoted, sentence, shortened } from '../brain/words.ts';
import { DIARY, entityOf } from '../memory/entity.ts';
import type { MemoryStore } from '../memory/memory-store.ts';

const WORDS_MAX = 300;

/** Writes a run and what became of it to the diary. A full disk costs the memory, not the run. */
export function rememberRun(
  memory: Pick<MemoryStore, 'remember'>,
  { run_id, prompt, schedule }: Run,
  words: string,
): void {
  const asker = schedule === null ? 'I was asked' : `The schedule ${schedule.name} asked`;
  try {
    memory.remember(
      entityOf(run_id, DIARY, [
        `${sentence(`${asker}: ${quoted(prompt, WORDS_MAX)}`)} ${sentence(shortened(words, WORDS_MAX))}`,
      ]),
    );
  } catch {
    // The turn's record and the village have the run all the same.
  }
}
