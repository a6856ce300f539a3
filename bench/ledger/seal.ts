import { performance } from 'node:perf_hooks';
import { openCheckpointFolder, openLogSigner } from '@hamlet/server';
import { openDatabase, readLogHead, sealLog } from '@hamlet/store';

/** The result of sealing all rows. */
export interface SealRun {
  readonly entries: number;
  readonly seconds: number;
}

/**
 * Seals every row that the bench has committed, like the API: reads the rows into tiles, signs the root, and writes to
 * disk outside of the database.
 */
export async function sealEverything(appUrl: string, folder: string): Promise<SealRun> {
  const db = openDatabase({ url: appUrl, poolSize: 2, onError: () => undefined });
  const signer = await openLogSigner({ origin: 'hamlet.village/bench', keyFile: undefined, folder });
  if (signer === null) throw new Error('no key to sign with');
  const outside = await openCheckpointFolder(folder, signer);
  const started = performance.now();
  for (let more = true; more;) {
    const sealed = await sealLog(db, { sign: signer.sign, open: signer.open, known: outside.known });
    more = sealed?.more ?? false;
    await outside.follow(db);
    if (sealed !== null)
      console.log(`sealed ${sealed.size} entries in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  }
  const seconds = (performance.now() - started) / 1_000;
  const { size } = await readLogHead(db);
  await db.destroy();
  return { entries: size, seconds };
}
