import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { z } from 'zod';
import { HandsError, type HandsClient } from '../hands-client.ts';
import type { HandsJob } from '../hands-tool.ts';
import { FilePart } from '../process-record.ts';

export const FILE_MAX_BYTES = 512 << 10;

export interface FileContent {
  readonly data: Buffer;
  readonly size: number;
  readonly sha256: string;
}

/** A path below the workspace as the supervisor expects it. It refuses paths that leave the folder, also through links. */
export function pathIn(workspace: string, path: string): string {
  const inside = posix.relative(workspace, posix.resolve(workspace, path));
  if (inside.startsWith('..')) throw new HandsError('outside', `${path} is outside of ${workspace}. Use shell for it.`);
  return inside === '' ? '.' : inside;
}

/** Refusals that may mean a path from the repository, where commands start. */
const PLACE_CODES: ReadonlySet<string> = new Set(['not_found', 'no_repository']);

/** The error of a call. If its path exists in the run's repository, the error names the path from the workspace instead. */
export async function withMeantPath({ hands, kit, tree }: HandsJob, given: unknown, error: unknown): Promise<unknown> {
  const isMisplaced = error instanceof HandsError && PLACE_CODES.has(error.code) && tree !== kit.workspace;
  if (!isMisplaced || typeof given !== 'object' || given === null || !('path' in given)) return error;
  const { path } = given;
  if (typeof path !== 'string') return error;
  const meant = posix.join(pathIn(kit.workspace, tree), pathIn(kit.workspace, path));
  const isThere = await hands.ask('fs.stat', { root: kit.workspace, path: meant }, z.unknown()).then(
    () => true,
    () => false,
  );
  if (!isThere) return error;
  return new HandsError(error.code, `Paths begin in ${kit.workspace}, not in your repository: write ${meant}.`);
}

/** The first bytes of a file and its size. Rejects with `HandsError`. */
export async function readContent({ hands, kit }: HandsJob, path: string): Promise<FileContent> {
  const args = { root: kit.workspace, path, offset: 0, bytes: FILE_MAX_BYTES };
  const { data, size, sha256 } = await hands.ask('fs.read', args, FilePart);
  return { data, size, sha256: sha256 ?? 'unknown' };
}

/** The bytes of a file from an offset on, at most `FILE_MAX_BYTES`; empty at its end. */
export async function readPart({ hands, kit }: HandsJob, path: string, offset: number): Promise<Buffer> {
  const args = { root: kit.workspace, path, offset, bytes: FILE_MAX_BYTES };
  return (await hands.ask('fs.read', args, FilePart)).data;
}

/** All bytes of a file, read in parts. Refuses a file that is longer than `maxBytes` or changes meanwhile. */
export async function readWhole({ hands, kit }: HandsJob, path: string, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let first: string | undefined;
  for (let offset = 0; ;) {
    const args = { root: kit.workspace, path, offset, bytes: FILE_MAX_BYTES };
    const { data, size, sha256 } = await hands.ask('fs.read', args, FilePart);
    if (size > maxBytes)
      throw new HandsError(
        'artifact_too_large',
        `${path} has ${size} bytes; the limit is ${maxBytes}: make it smaller.`,
      );
    first ??= sha256;
    parts.push(data);
    offset += data.length;
    if (data.length > 0 && offset < size) continue;
    const whole = Buffer.concat(parts);
    if (whole.length === size && sha256Of(whole) === first) return whole;
    throw new HandsError('changed', `${path} changed while it was read. Wait until it is written, then try again.`);
  }
}

export async function contentOf(job: HandsJob, path: string): Promise<FileContent | null> {
  try {
    const content = await readContent(job, path);
    if (content.size <= FILE_MAX_BYTES) return content;
    throw new HandsError('too_long', `${path} has more than ${FILE_MAX_BYTES} bytes: change it with shell.`);
  } catch (error) {
    if (error instanceof HandsError && error.code === 'not_found') return null;
    throw error;
  }
}

export const sha256Of = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

/** A new content; null removes the file. `seen` is the hash of the replaced content, null if there is no file. */
export interface Replacement {
  readonly root: string;
  readonly path: string;
  readonly data: Buffer | null;
  readonly seen: string | null;
}

/** Replaces a content that the caller has seen. Rejects with the code `changed` if the file has another content. */
export async function replaceContent(hands: HandsClient, { root, path, data, seen }: Replacement): Promise<void> {
  const ifSha256 = seen ?? 'absent';
  const place = { root, path, ifSha256 };
  if (data === null) await hands.ask('fs.remove', place, z.unknown());
  else await hands.ask('fs.write', { ...place, data: data.toString('base64'), parents: true }, z.unknown());
}
