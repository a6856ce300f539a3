import type { Db, Tx } from '../../connection/database.ts';
import type { Row } from '../../connection/tables.generated.ts';

/** The form of the answer of a run, and the answer once it is done; both as JSON. */
export type RunOutput = Pick<Row<'run_output'>, 'schema' | 'output'>;

export async function insertOutputSchema(tx: Tx, runId: string, schema: string): Promise<void> {
  await tx.insertInto('run_output').values({ run_id: runId, schema }).execute();
}

/** Null for a run without an output schema. */
export async function readRunOutput(db: Db | Tx, runId: string): Promise<RunOutput | null> {
  const row = await db
    .selectFrom('run_output')
    .select(['schema', 'output'])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row ?? null;
}

/** Stores the answer of a run that is done. The caller has locked the run, and the answer fits its schema. */
export async function storeOutput(tx: Tx, runId: string, output: string): Promise<void> {
  await tx.updateTable('run_output').set({ output }).where('run_id', '=', runId).execute();
}
