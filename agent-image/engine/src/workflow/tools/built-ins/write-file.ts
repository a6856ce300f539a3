import type { ToolOutcome } from '../../../effects/tool-outcome.ts';
import { mutationOf, type Mutation } from '../mutation.ts';
import { contentOf, replaceFile, sha256Of, type FileContent } from './file-content.ts';
import { inFolder, type OpenFolder } from './open-folder.ts';
import { realParts } from './real-parts.ts';
import { fault, ToolFault } from './tool-fault.ts';
import { jsonResult, type ToolJob } from './tool-job.ts';

/** Longest content of a call. */
export const CONTENT_MAX_CHARS = 1_000_000;
/** Largest file that may be replaced, because its copy is kept. */
export const REPLACED_MAX_BYTES = 8 << 20;

type Writing = Readonly<{ path: string; content: string }>;
type Place = Readonly<{ root: string; parts: readonly string[]; name: string; path: string }>;

/**
 * Writes a whole file, and the folders above it: `{ path, mutations }`. A copy of the previous content is kept first.
 * The mutation is empty if the file has this content already, unless an earlier attempt of the same call wrote it.
 */
export async function writeFile({ path, content }: Writing, job: ToolJob): Promise<ToolOutcome> {
  const { root } = job.workspace;
  const parts = await realParts(root, path);
  const [real, name] = [parts.join('/'), parts.at(-1)];
  job.permit({ kind: 'write', path: real });
  if (name === undefined) throw fault('is_a_folder', 'The root is a folder: name a file.');
  const place = { root, parts: parts.slice(0, -1), name, path: real };
  const data = Buffer.from(content);
  const after = { data, sha256: sha256Of(data) };
  if (job.isDry) return planned(real, mutationOf({ path: real, before: await present(place), after }));
  return inFolder({ ...place, creates: true }, async (folder) => {
    const before = await contentIn(folder, place);
    const mutation = mutationOf({ path: real, before, after });
    if (mutation === null) return written(real, await earlier(job, after.sha256));
    const { kept } = job.workspace;
    if (before !== null) await kept.keep(before);
    await kept.note(job.context.key, mutation);
    await replaceFile(folder, { name, path: real, data, mode: before?.mode ?? null });
    return written(real, mutation);
  });
}

const written = (path: string, mutation: Mutation | null): ToolOutcome =>
  jsonResult({ path, mutations: mutation === null ? [] : [mutation] });
const planned = (path: string, mutation: Mutation | null): ToolOutcome =>
  jsonResult({ planned: true, path, mutations: mutation === null ? [] : [mutation] });

const contentIn = (folder: OpenFolder, { name, path }: Place): Promise<FileContent | null> =>
  contentOf(folder, { name, path, maxBytes: REPLACED_MAX_BYTES });

/** The mutation of an earlier attempt, whose end the engine does not know. */
async function earlier({ workspace, context }: ToolJob, sha256: string): Promise<Mutation | null> {
  const noted = context.attempt > 1 ? await workspace.kept.noted(context.key) : null;
  return noted?.sha256_after === sha256 ? noted : null;
}

/** The content now; null also if a folder above is missing. */
async function present(place: Place): Promise<FileContent | null> {
  try {
    return await inFolder(place, (folder) => contentIn(folder, place));
  } catch (error) {
    if (error instanceof ToolFault && error.outcome.kind === 'failed' && error.outcome.code === 'not_found')
      return null;
    throw error;
  }
}
