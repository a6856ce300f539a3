import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from './built-ins/tool-fault.ts';
import { sha256Of } from './built-ins/file-content.ts';
import { Mutation } from './mutation.ts';

/** Limits of all copies of a workspace; the oldest are deleted first. */
const KEPT_LIMITS = { bytes: 256 << 20, files: 4_096 } as const;

/** Contents that calls replaced, and the mutations that calls are about to make: what a rollback and a repeated attempt need. */
export type KeptCopies = Readonly<{
  keep: (content: Readonly<{ data: Buffer; sha256: string }>) => Promise<void>;
  /** Null if the copy was deleted or is damaged. */
  read: (sha256: string) => Promise<Buffer | null>;
  /** Notes the mutation that the call with this key is about to make. */
  note: (key: string, mutation: Mutation) => Promise<void>;
  noted: (key: string) => Promise<Mutation | null>;
}>;

/** The copies in a folder that the workspace must not contain. It is created with the first copy. One process may use it. */
export function keptCopies(
  folder: string,
  limits: Readonly<{ bytes: number; files: number }> = KEPT_LIMITS,
): KeptCopies {
  const store = { folder, limits, sizes: null as Promise<Map<string, number>> | null };
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const own = last.then(work);
    last = own.catch(() => {});
    return own;
  };
  const noteOf = (key: string): string => `${sha256Of(Buffer.from(key))}.json`;
  const put = (name: string, data: Buffer): Promise<void> =>
    inTurn(async () => add(folder, { sizes: await (store.sizes ??= sizesIn(folder)), limits, name, data }));
  return {
    keep: ({ data, sha256 }) => put(sha256, data),
    read: async (sha256) => {
      const data = await fileIn(folder, sha256);
      return data !== null && sha256Of(data) === sha256 ? data : null;
    },
    note: (key, mutation) => put(noteOf(key), Buffer.from(JSON.stringify(mutation))),
    noted: async (key) => {
      const data = await fileIn(folder, noteOf(key));
      return data === null ? null : Mutation.parse(JSON.parse(data.toString()));
    },
  };
}

async function fileIn(folder: string, name: string): Promise<Buffer | null> {
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** The files of the folder with their sizes, the oldest first. Temporary files of an earlier process are deleted. */
async function sizesIn(folder: string): Promise<Map<string, number>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found: { name: string; bytes: number; at: number }[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.endsWith('.tmp')) await rm(path, { force: true });
    else {
      const { size, mtimeMs } = await stat(path);
      found.push({ name, bytes: size, at: mtimeMs });
    }
  }
  return new Map(found.toSorted((a, b) => a.at - b.at).map(({ name, bytes }) => [name, bytes]));
}

type Addition = Readonly<{
  sizes: Map<string, number>;
  limits: Readonly<{ bytes: number; files: number }>;
  name: string;
  data: Buffer;
}>;

/** A copy that is there already becomes the newest. */
async function add(folder: string, { sizes, limits, name, data }: Addition): Promise<void> {
  const temporary = join(folder, `${randomUUID()}.tmp`);
  await writeFile(temporary, data, { mode: 0o600, flush: true });
  await rename(temporary, join(folder, name));
  sizes.delete(name);
  sizes.set(name, data.length);
  let total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  for (const [oldest, bytes] of sizes) {
    if (oldest === name || (total <= limits.bytes && sizes.size <= limits.files)) return;
    await rm(join(folder, oldest), { force: true });
    sizes.delete(oldest);
    total -= bytes;
  }
}
