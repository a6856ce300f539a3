import { z } from 'zod';
import { PATH_MAX_CHARS } from './workspace-path.ts';

/** Maximum number of mutations in one summary. */
const MUTATIONS_MAX = 64;

const bytes = z.int().min(0).nullable();
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();

/** One file that a call changed, or would have changed. Null before a creation and after a deletion. */
export const Mutation = z.strictObject({
  /** From the root of the workspace, links resolved. */
  path: z.string().min(1).max(PATH_MAX_CHARS),
  change: z.enum(['created', 'changed', 'deleted']),
  bytes_before: bytes,
  bytes_after: bytes,
  sha256_before: sha256,
  sha256_after: sha256,
});
export type Mutation = Readonly<z.infer<typeof Mutation>>;

/** The files that a call changed, in their order: the field `mutations` of its result. */
export const MutationSummary = z.array(Mutation).max(MUTATIONS_MAX);
export type MutationSummary = readonly Mutation[];

type Content = Readonly<{ data: Buffer; sha256: string }>;
type Change = Readonly<{ path: string; before: Content | null; after: Content | null }>;

/** The mutation from one content to another; null if both are the same. Pure. */
export function mutationOf({ path, before, after }: Change): Mutation | null {
  if (before?.sha256 === after?.sha256) return null;
  const change = before === null ? 'created' : after === null ? 'deleted' : 'changed';
  const [old, fresh] = [marksOf(before), marksOf(after)];
  return {
    path,
    change,
    bytes_before: old.bytes,
    bytes_after: fresh.bytes,
    sha256_before: old.sha256,
    sha256_after: fresh.sha256,
  };
}

const marksOf = (content: Content | null): Readonly<{ bytes: number | null; sha256: string | null }> =>
  content === null ? { bytes: null, sha256: null } : { bytes: content.data.length, sha256: content.sha256 };
