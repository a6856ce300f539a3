import assert from 'node:assert/strict';
import type { RunCommand } from '@hamlet/core';
import { findRun, inTransaction, insertRuns, openDatabase, type Db, type RunRow } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { applyToRun } from '../runs/apply-to-run.ts';

export const RUN_AGENT = { agentId: 'ada', uid: 'life' } as const;
const RUN = {
  agentId: RUN_AGENT.agentId,
  agentUid: RUN_AGENT.uid,
  kind: 'prompt',
  prompt: 'x',
  createdByRole: 'admin',
  createdById: 'a',
  schedule: null,
} as const;

/** Runs of one agent in a migrated Postgres, without a village around it. `db` has the rights of the API. */
export async function openRunTables({ poolSize }: { readonly poolSize: number }) {
  const postgres = await migratedPostgres();
  const db = openDatabase({ url: postgres.appUrl, poolSize, onError: () => undefined });

  async function add(): Promise<RunRow> {
    const [run] = await inTransaction(db, (tx) => insertRuns(tx, [RUN]));
    assert.ok(run !== undefined);
    return run;
  }
  async function read(runId: string): Promise<RunRow> {
    const run = await findRun(db, runId);
    assert.ok(run !== null, 'a run vanished');
    return run;
  }
  /** False if the command was refused. */
  async function tryCommand(runId: string, command: RunCommand): Promise<boolean> {
    const failed = command.kind === 'settle' && command.state === 'failed';
    const words = failed ? { error: { code: 'failed', message: 'x' } } : {};
    return (await inTransaction(db, (tx) => applyToRun(tx, runId, { command, words, permit: () => null }))).ok;
  }
  async function command(runId: string, given: RunCommand): Promise<RunRow> {
    assert.ok(await tryCommand(runId, given), 'the command was refused');
    return read(runId);
  }
  return {
    db,
    appUrl: postgres.appUrl,
    add,
    addStarted: async () => command((await add()).runId, { kind: 'start', cycle: 1 }),
    read,
    tryCommand,
    command,
    remove: async () => {
      await db.destroy();
      await postgres.remove();
    },
  };
}

/** Moves the end of a run's lease to the past, as if its agent had been silent for that long. */
export async function endLease(db: Db, runId: string): Promise<void> {
  const lease_until = new Date(Date.now() - 1_000);
  await db.updateTable('run').set({ lease_until }).where('run_id', '=', runId).execute();
}

/** Deterministic numbers in 0…1 (Park and Miller). */
export function diceOf(seed: number): () => number {
  let word = seed;
  return () => (word = (word * 48_271) % 2_147_483_647) / 2_147_483_647;
}
