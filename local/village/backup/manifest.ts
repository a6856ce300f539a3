/** The manifest of a backup: origin, versions, and size and hash of each part. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../failure.ts';

/** The files of a backup, besides its manifest. */
export const PARTS = {
  /** pg_dump, custom format. */
  dump: 'village.dump',
  /** The folder of the sealed log, as tar. */
  log: 'log.tar',
  /** The secret key that signs the log. */
  key: 'log-key.pem',
  /** Agents, Entitlements and Schedules, as a Kubernetes List. */
  resources: 'village.json',
} as const;

export const MANIFEST = 'manifest.json';

const Count = z.int().min(0);

/** Counts that help a person recognise a village. */
export const Holdings = z.strictObject({
  accounts: Count,
  posts: Count,
  transfers: Count,
  acts: Count,
  newestAct: z.string().nullable(),
});
export type Holdings = z.infer<typeof Holdings>;

export const Manifest = z.strictObject({
  format: z.literal(1),
  madeAt: z.iso.datetime(),
  /** Part of the sealed log's origin. */
  namespace: z.string().min(1).max(63),
  hamlet: z.string().max(64),
  postgres: z.string().max(128),
  pgDump: z.string().max(128),
  /** The newest applied migration. */
  migration: z.string().max(128),
  /** Minimum number of sealed entries in the dump. */
  sealed: Count,
  holdings: Holdings,
  parts: z
    .array(z.strictObject({ name: z.enum(Object.values(PARTS)), bytes: Count, sha256: z.hex().length(64) }))
    .length(Object.keys(PARTS).length),
});
export type Manifest = z.infer<typeof Manifest>;

export async function describeParts(folder: string): Promise<Manifest['parts']> {
  return Promise.all(
    Object.values(PARTS).map(async (name) => {
      const file = join(folder, name);
      return { name, bytes: (await stat(file)).size, sha256: await sha256Of(file) };
    }),
  );
}

/** Parses a manifest and compares every part in the folder with it. Throws a Failure on the first difference. */
export async function checkParts(folder: string, text: string): Promise<Manifest> {
  const manifest = readManifest(text);
  for (const { name, bytes, sha256 } of manifest.parts) {
    const file = join(folder, name);
    const size = await stat(file).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined)
      throw new Failure(`the backup has no ${name}`, 'use another backup file: this one is incomplete');
    if (size !== bytes || (await sha256Of(file)) !== sha256)
      throw new Failure(
        `${name} in the backup differs from its manifest`,
        'use another backup file: this one was changed or truncated',
      );
  }
  return manifest;
}

function readManifest(text: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Failure(
      `the manifest of the backup cannot be read: ${why}`,
      'use another file, or the version of Hamlet that wrote it',
    );
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

export function holdingsText({ accounts, posts, transfers, acts, newestAct }: Holdings): string {
  return `${accounts} accounts, ${posts} posts, ${transfers} transfers of money, ${acts} recorded acts${newestAct === null ? '' : `, the newest of ${newestAct}`}`;
}

export function isEmpty({ accounts, posts, transfers }: Holdings): boolean {
  return accounts === 0 && posts === 0 && transfers === 0;
}
