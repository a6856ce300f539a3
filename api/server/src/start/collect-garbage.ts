import { Session } from 'node:inspector/promises';

/** Collects all garbage, and gives its pages back to the system. Stops the process for some 100 ms. */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
