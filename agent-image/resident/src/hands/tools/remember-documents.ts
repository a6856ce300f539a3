import { posix } from 'node:path';
import type { SourceFile } from '@hamlet/engine/memory';
import { pathIn, readContent } from '../files/hands-files.ts';
import { HandsError, isRefusal } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { filesBelow } from './find.ts';

const READ_MS = 900_000;
/** The memory takes fewer files of one source. */
const FILES_MAX = 25_000;

export const rememberDocuments = (kit: HandsKit) =>
  handsTool(kit, 'remember_documents', { timeoutMs: READ_MS, perform: readDocuments });

async function readDocuments({ path }: { readonly path: string }, job: HandsJob): Promise<HandsEnd> {
  const { workspace, rememberDocuments: remember } = job.kit;
  const place = pathIn(workspace, path);
  const files = await filesAt(job, place);
  const outcome = await remember({ name: posix.join(workspace, place), files }, job.context);
  return { outcome, report: { path: place } };
}

/** The files of a folder, or the one file that the path names. */
async function filesAt(job: HandsJob, place: string): Promise<readonly SourceFile[]> {
  try {
    const { paths, isCut } = await filesBelow(job, { folder: place, limit: FILES_MAX });
    if (isCut) throw new HandsError('too_many_files', `${place} has more than ${FILES_MAX} files: name a part of it.`);
    return paths.map((path) => ({ path, read: () => contentOf(job, posix.join(place, path)) }));
  } catch (error) {
    if (!(error instanceof HandsError) || error.code !== 'not_found') throw error;
    await readContent(job, place);
    return [{ path: posix.basename(place), read: () => contentOf(job, place) }];
  }
}

/** All bytes of a file; null if it cannot be read, or is larger than one part. */
async function contentOf(job: HandsJob, path: string): Promise<Buffer | null> {
  try {
    const { data, size } = await readContent(job, path);
    return data.length === size ? data : null;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}
