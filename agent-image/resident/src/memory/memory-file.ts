import { posix } from 'node:path';
import { z } from 'zod';
import { HandsError, type HandsClient } from '../hands/hands-client.ts';
import { FilePart } from '../hands/process-record.ts';

export interface FilePlace {
  readonly root: string;
  readonly path: string;
}

/** A larger file is no memory that the village wrote. The API keeps 256 KiB of a repository. */
const FILE_MAX_BYTES = 512 << 10;

/** `text` is null if there is no file. */
export type ReadFile =
  | { readonly kind: 'read'; readonly text: string | null; readonly sha256: string | null }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Reads a memory file. Rejects with `hands_lost`. */
export async function readMemoryFile(hands: HandsClient, { root, path }: FilePlace): Promise<ReadFile> {
  try {
    const part = await hands.ask('fs.read', { root, path, offset: 0, bytes: FILE_MAX_BYTES }, FilePart);
    if (part.size > part.data.length || part.sha256 === undefined)
      return { kind: 'unreadable', why: `the memory file has more than ${FILE_MAX_BYTES} bytes` };
    return { kind: 'read', text: part.data.toString(), sha256: part.sha256 };
  } catch (error) {
    if (!(error instanceof HandsError) || error.code === 'hands_lost') throw error;
    if (error.code === 'not_found') return { kind: 'read', text: null, sha256: null };
    return { kind: 'unreadable', why: error.message };
  }
}

export async function writeMemoryFile(
  hands: HandsClient,
  { root, path }: FilePlace,
  { text, seen }: { readonly text: string; readonly seen: string | null },
): Promise<boolean> {
  const data = Buffer.from(text).toString('base64');
  try {
    await hands.ask('fs.write', { root, path, data, ifSha256: seen ?? 'absent', parents: true }, z.unknown());
    return true;
  } catch (error) {
    if (error instanceof HandsError && error.code === 'changed') return false;
    throw error;
  }
}

/** Renames a file that cannot be read, so that a good one can be written; an earlier one that was set aside is removed. Returns its new path. */
export async function setAside(hands: HandsClient, { root, path }: FilePlace): Promise<string> {
  const to = posix.join(posix.dirname(path), 'memory.unreadable');
  await hands.ask('fs.remove', { root, path: to }, z.unknown()).catch((error: unknown) => {
    if (!(error instanceof HandsError) || error.code !== 'not_found') throw error;
  });
  await hands.ask('fs.rename', { root, path, to }, z.unknown());
  return posix.join(root, to);
}
