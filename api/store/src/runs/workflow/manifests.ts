import { createHash } from 'node:crypto';
import { storableText, type ManifestFiles } from '@hamlet/contract';
import { compareText } from '@hamlet/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../../connection/database.ts';

/** Hours that manifests stay without a run: longer than any transaction that creates one. */
const UNUSED_HOURS = 1;

/** Keeps manifests for a new run, and returns their SHA-256, which does not depend on the order of the files. */
export async function keepManifests(tx: Tx, files: ManifestFiles): Promise<string> {
  const sorted = files
    .map(({ path, text }) => ({ path, text: storableText(text) }))
    .toSorted((one, other) => compareText(one.path, other.path));
  const json = JSON.stringify(sorted);
  const sha256 = createHash('sha256').update(json).digest('hex');
  await tx
    .insertInto('workflow_manifests')
    .values({ sha256, files: json })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ used_at: sql`now()` }))
    .execute();
  return sha256;
}

/** The manifests of a run. A foreign key keeps them as long as the run. */
export async function readManifestFiles(db: Db | Tx, sha256: string): Promise<ManifestFiles> {
  const { files } = await db
    .selectFrom('workflow_manifests')
    .select('files')
    .where('sha256', '=', sha256)
    .executeTakeFirstOrThrow();
  return files;
}

/** Deletes manifests without runs. Skips locked rows, which a transaction is about to use. */
export async function forgetManifests(db: Db): Promise<void> {
  await sql`
    delete from workflow_manifests where sha256 in (
      select sha256 from workflow_manifests as kept
      where used_at < now() - ${UNUSED_HOURS} * interval '1 hour' and not exists (select from run where run.manifests = kept.sha256)
      for update skip locked)`.execute(db);
}
