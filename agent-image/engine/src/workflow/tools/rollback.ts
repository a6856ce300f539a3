import { rm } from 'node:fs/promises';
import type { ToolOutcome } from '../../effects/tool-outcome.ts';
import { contentOf, replaceFile, type FileContent } from './built-ins/file-content.ts';
import { inFolder, type OpenFolder } from './built-ins/open-folder.ts';
import { realParts } from './built-ins/real-parts.ts';
import { denial, fault, ToolFault } from './built-ins/tool-fault.ts';
import { REPLACED_MAX_BYTES } from './built-ins/write-file.ts';
import { isReserved } from './check-tool-call.ts';
import { mutationOf, MutationSummary, type Mutation } from './mutation.ts';
import type { Workspace } from './workspace.ts';

/** The end of the rollback of one file: the mutation that it made, which can be rolled back in turn, or why it made none. */
export type RolledBack =
  | Readonly<{ path: string; ok: true; mutation: Mutation }>
  | Readonly<{ path: string; ok: false; outcome: ToolOutcome }>;

/**
 * Restores the files of a summary, the last mutation first. A file that has changed since (`changed`) and one whose
 * copy is gone (`not_kept`) stay as they are, and the others are restored. Throws if the value is not a summary.
 */
export async function rollback(workspace: Workspace, summary: unknown): Promise<readonly RolledBack[]> {
  const ends: RolledBack[] = [];
  for (const mutation of MutationSummary.parse(summary).toReversed()) ends.push(await undo(workspace, mutation));
  return ends;
}

async function undo(workspace: Workspace, mutation: Mutation): Promise<RolledBack> {
  const { path } = mutation;
  try {
    return { path, ok: true, mutation: await restore(workspace, mutation) };
  } catch (error) {
    if (error instanceof ToolFault) return { path, ok: false, outcome: error.outcome };
    throw error;
  }
}

async function restore(
  { root, kept, reserved }: Workspace,
  { path, sha256_before, sha256_after }: Mutation,
): Promise<Mutation> {
  const data = sha256_before === null ? null : await kept.read(sha256_before);
  if (sha256_before !== null && data === null)
    throw fault('not_kept', `The copy of ${path} was deleted to make room: restore the file from another source.`);
  const after = data === null || sha256_before === null ? null : { data, sha256: sha256_before };
  const parts = await realParts(root, path);
  if (isReserved(reserved, { kind: 'write', path: parts.join('/') }))
    throw denial('path_not_permitted', `${path} belongs to the engine: no call of a tool changed it.`);
  const name = parts.at(-1) ?? '';
  return inFolder({ root, parts: parts.slice(0, -1), creates: after !== null }, async (folder) => {
    const before = await contentOf(folder, { name, path, maxBytes: REPLACED_MAX_BYTES });
    const mutation = mutationOf({ path, before, after });
    if (mutation === null || (before?.sha256 ?? null) !== sha256_after)
      throw fault('changed', `${path} has changed since: roll the later changes back first.`);
    if (before !== null) await kept.keep(before);
    await put(folder, { name, path, before, data });
    return mutation;
  });
}

type Restored = Readonly<{ name: string; path: string; before: FileContent | null; data: Buffer | null }>;

async function put(folder: OpenFolder, { name, path, before, data }: Restored): Promise<void> {
  if (data !== null) return replaceFile(folder, { name, path, data, mode: before?.mode ?? null });
  await folder.check();
  await rm(folder.at(name));
  await folder.sync();
}
