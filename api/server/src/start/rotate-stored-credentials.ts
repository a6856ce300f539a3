import { performance } from 'node:perf_hooks';
import { openDatabase } from '@hamlet/store';
import type { Config } from './config.ts';
import { keyFiles } from '../service/key-files.ts';
import { rotateCredentials } from '../gateway/credentials/rotate-credentials.ts';
import { villageKeys } from '../gateway/credentials/village-keys.ts';

/** `--rotate-credentials`: rotates and reports. Returns the exit code: 1 if a credential could not be opened. */
export async function rotateStoredCredentials(
  { postgresUrl, models }: Pick<Config, 'postgresUrl' | 'models'>,
  print: (line: string) => void,
): Promise<number> {
  const db = openDatabase({ url: postgresUrl, poolSize: 1, onError: () => undefined });
  try {
    const keys = villageKeys(keyFiles(models.sealingFolder, () => performance.now()));
    const { rotated, current, failed } = await rotateCredentials({ db, keys });
    print(`${rotated} credentials are now sealed by the current key; ${current} were already`);
    if (failed.length === 0) return 0;
    print(`not opened: ${failed.join(', ')}. Fix: add their key to the Secret again, or store them again`);
    return 1;
  } finally {
    await db.destroy();
  }
}
