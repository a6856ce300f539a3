import { flushCompileCache } from 'node:module';

/**
 * Loads a program: first each stage, then the program itself, whose modules it returns. Until a flush, Node keeps the
 * code of every module that it has read from its compile cache, in pieces too small to return to the system. Pieces
 * that are freed after one stage serve the next one.
 */
export async function loadInStages<Program>(
  stages: readonly (() => Promise<unknown>)[],
  program: () => Promise<Program>,
): Promise<Program> {
  for (const load of stages) {
    await load();
    flushCompileCache();
  }
  const loaded = await program();
  flushCompileCache();
  return loaded;
}
