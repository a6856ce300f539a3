import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { untilEnd } from '@hamlet/test/env/at-end';
import { findAskingRun } from './asking-run.ts';

const postgres = untilEnd(await migratedPostgres());
const RUN_ID = '01890000-0000-7000-8000-000000000001';
const agent = {
  role: 'agent',
  id: 'agent ada',
  agentId: 'ada',
  uid: 'ada',
  podUid: null,
  cycle: 1,
  stale: false,
} as const;

async function closedAfter(url: string): Promise<number> {
  const db = openDatabase({ url, poolSize: 1, onError: () => undefined });
  let closed = 0;
  const publisher = { gone: new AbortController().signal, publish: () => undefined, close: () => void (closed += 1) };
  const deltas = { open: async () => ({ kind: 'open', publisher }) as never };
  const asked = { agent, metadata: { run_id: RUN_ID } as never, program: null };
  await findAskingRun({ db, deltas }, asked).catch(() => undefined);
  await db.destroy();
  return closed;
}

test('the watch of a named run ends if its budgets cannot be read, and if the run has gone', async () => {
  assert.equal(await closedAfter(postgres.url('none')), 1);
  assert.equal(await closedAfter(postgres.url()), 1);
});
