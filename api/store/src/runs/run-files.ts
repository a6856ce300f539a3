import type { Db, Tx } from '../connection/database.ts';
import type { Row } from '../connection/tables.generated.ts';

type StoredFile = Pick<Row<'run_file'>, 'path' | 'sha256'>;
export type NewRunFile = StoredFile & { readonly content: Buffer };

/** Stores the files of a message; the database deletes them when its run ends. Paths differ. */
export async function insertRunFiles(tx: Tx, runId: string, files: readonly NewRunFile[]): Promise<void> {
  if (files.length === 0) return;
  await tx
    .insertInto('run_file')
    .values(files.map((file) => ({ run_id: runId, ...file })))
    .execute();
}

/** The files of a run, without their bytes. */
export async function listRunFiles(db: Db | Tx, runId: string): Promise<readonly StoredFile[]> {
  return db.selectFrom('run_file').select(['path', 'sha256']).where('run_id', '=', runId).orderBy('path').execute();
}

export async function readRunFileContent(db: Db | Tx, runId: string, sha256: Buffer): Promise<Buffer | null> {
  const row = await db
    .selectFrom('run_file')
    .select('content')
    .where('run_id', '=', runId)
    .where('sha256', '=', sha256)
    .limit(1)
    .executeTakeFirst();
  return row?.content ?? null;
}
