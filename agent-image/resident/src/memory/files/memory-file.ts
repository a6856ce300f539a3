import { posix } from 'node:path';
import { z } from 'zod';
import { HandsError, isRefusal, type HandsClient } from '../../hands/hands-client.ts';
import { FilePart } from '../../hands/process-record.ts';

/** The path of a memory file in the hands, below `root`. */
export interface FilePlace {
  readonly root: string;
  readonly path: string;
}

/** The file beside it with lines and files that cannot be read; without the oldest lines. */
const UNREADABLE_FILE = 'memory.unreadable';
const UNREADABLE_MAX_CHARS = 64 << 10;
/** The village never writes a larger file: the API stores 256 KiB of a repository. */
const FILE_MAX_BYTES = 512 << 10;

/** The content with its hash, both null if the file is missing; or why it cannot be read. */
type ReadFile =
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
    if (!isRefusal(error)) throw error;
    if (error.code === 'not_found') return { kind: 'read', text: null, sha256: null };
    return { kind: 'unreadable', why: error.message };
  }
}

/** Writes a memory file with the folders above it. False if it differs from the content with the hash `seen`; null: a missing file. */
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

/**
 * Keeps lines that the reference server cannot parse in a file beside theirs. Returns the path of that file; null if it
 * already has all of them.
 */
export async function keepLines(
  hands: HandsClient,
  place: FilePlace,
  lines: readonly string[],
): Promise<string | null> {
  if (lines.length === 0) return null;
  const beside = unreadableBeside(place);
  const before = await readMemoryFile(hands, beside);
  const earlier = before.kind === 'read' ? (before.text ?? '') : '';
  if (lines.every((line) => earlier.includes(line))) return null;
  const text = `${earlier}${lines.join('\n')}\n`.slice(-UNREADABLE_MAX_CHARS);
  if (before.kind === 'read') await writeMemoryFile(hands, beside, { text, seen: before.sha256 });
  return beside.path;
}

/** Renames an unreadable file, so that a good one can be written; replaces an earlier renamed one. Returns the new path. */
export async function setAside(hands: HandsClient, place: FilePlace): Promise<string> {
  const beside = unreadableBeside(place);
  await removeFile(hands, beside);
  await hands.ask('fs.rename', { ...place, to: beside.path }, z.unknown());
  return posix.join(place.root, beside.path);
}

const unreadableBeside = ({ root, path }: FilePlace): FilePlace => ({
  root,
  path: posix.join(posix.dirname(path), UNREADABLE_FILE),
});

/** Removes a file if it is there. */
export async function removeFile(hands: HandsClient, place: FilePlace): Promise<void> {
  await hands.ask('fs.remove', place, z.unknown()).catch((error: unknown) => {
    if (!(error instanceof HandsError) || error.code !== 'not_found') throw error;
  });
}
