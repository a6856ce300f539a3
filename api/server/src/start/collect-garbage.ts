import { Session } from 'node:inspector/promises';

/** Collects all garbage and returns its pages to the system. Blocks the process for some 100 ms. */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
