import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceError } from './log-source.ts';

interface Running {
  readonly url: string;
  readonly token: string;
  readonly kept?: string;
}

async function told(file: string): Promise<Omit<Running, 'kept'> | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  const { url, adminToken } = text === null ? {} : (JSON.parse(text) as { url?: unknown; adminToken?: unknown });
  return typeof url === 'string' && typeof adminToken === 'string' ? { url, token: adminToken } : null;
}

/** Where the village of this machine is, from the files that `make up` and `make dev` write. Throws SourceError where none runs. */
export async function runningVillage(folder: string, kept: string | undefined): Promise<Running> {
  const up = await told(join(folder, 'up.json'));
  const dev = up === null ? await told(join(folder, 'dev.json')) : null;
  const village = up ?? dev;
  if (village === null) throw new SourceError('no village runs here: make up, make dev, or name one with --url');
  if (kept !== undefined) return { ...village, kept };
  const beside = join(folder, 'dev/log');
  const isKept = dev !== null && (await stat(join(beside, 'checkpoint')).catch(() => null)) !== null;
  return isKept ? { ...village, kept: beside } : village;
}
