import type { Artifact, DeliverableKind } from '@hamlet/contract';

export type ShownArtifact = Pick<Artifact, 'artifact_id' | 'name' | 'bytes' | 'deliverable' | 'expires_at'> & {
  readonly image?: boolean;
  readonly taint?: Artifact['taint'];
  /** The number of the deliverable among those of its name. */
  readonly version?: Artifact['version'];
};

const KINDS: Readonly<Record<DeliverableKind, string>> = {
  file: 'File',
  patch: 'Patch',
  table: 'Table',
  script: 'Script',
};
export const kindLabel = (kind: DeliverableKind | null): string => (kind === null ? 'File' : KINDS[kind]);

/** Deliverables by name, in the order of their first version. Both the given list and each group begin with the newest. */
export function byName<A extends Pick<Artifact, 'name'>>(newestFirst: readonly A[]): readonly (readonly A[])[] {
  const groups = Map.groupBy(newestFirst.toReversed(), ({ name }) => name);
  return [...groups.values()].map((versions) => versions.toReversed());
}

const KIB = 1024;

/** A size in words: `820 bytes`, `12 KB`, `1.4 MB`, `2.5 GB`. */
export function sizeLabel(bytes: number): string {
  if (bytes < KIB) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < KIB * KIB) return `${Math.round(bytes / KIB)} KB`;
  if (bytes < KIB ** 3) return `${(bytes / KIB / KIB).toFixed(1)} MB`;
  return `${(bytes / KIB ** 3).toFixed(1)} GB`;
}

interface FilePatch {
  readonly path: string;
  /** Without the lines that name the file. */
  readonly diff: string;
  readonly note: string;
}

export const PATCH_FILES_MAX = 100;

const NOTES: readonly (readonly [RegExp, string])[] = [
  [/^new file mode/m, 'new'],
  [/^deleted file mode/m, 'deleted'],
  [/^rename from/m, 'renamed'],
  [/^(GIT binary patch|Binary files)/m, 'binary'],
];

/** Parses a git diff. Accepts any text, because the agent wrote the patch. Pure. */
export function filesOfPatch(patch: string): { readonly files: readonly FilePatch[]; readonly left: number } {
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part.trim() !== '');
  const files = parts.slice(0, PATCH_FILES_MAX).map(fileOf);
  return { files, left: Math.max(0, parts.length - PATCH_FILES_MAX) };
}

function fileOf(part: string): FilePatch {
  const hunks = part.search(/^@@/m);
  const head = hunks === -1 ? part : part.slice(0, hunks);
  const named = /^\+\+\+ (?:b\/)?(.+)$/m.exec(head)?.[1];
  const old = /^--- (?:a\/)?(.+)$/m.exec(head)?.[1];
  const path = named === undefined || named === '/dev/null' ? old : named;
  const title = /^diff --git a\/(.+?) b\//.exec(head)?.[1];
  const note = NOTES.filter(([form]) => form.test(head)).map(([, word]) => word);
  return {
    path: (path ?? title ?? 'changes').trim(),
    diff: hunks === -1 ? '' : part.slice(hunks),
    note: note.join(', '),
  };
}

/** The shown text of a file and the number of hidden characters; null if the bytes are not text. Pure. */
export function textOf(bytes: Uint8Array, maxChars: number): { readonly text: string; readonly left: number } | null {
  if (bytes.subarray(0, 8_192).includes(0)) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text: text.slice(0, maxChars), left: Math.max(0, text.length - maxChars) };
  } catch {
    return null;
  }
}
