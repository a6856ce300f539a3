import { z } from 'zod';
import { ArtifactName, MediaType, Sha256 } from './artifact.ts';

export const GIVEN_FILES_MAX = 4;
/** The largest file that the hands take in one message. */
export const GIVEN_FILE_MAX_BYTES = 512 << 10;
const CONTENT_MAX_CHARS = Math.ceil(GIVEN_FILE_MAX_BYTES / 3) * 4;
/** Largest body of a message with files: their base64, and 128 KiB for the rest. */
export const GIVEN_FILES_BODY_MAX_BYTES = GIVEN_FILES_MAX * CONTENT_MAX_CHARS + (128 << 10);
const PATH_MAX_CHARS = 300;

export const ONLY_FILES_TEXT = 'Look at the files of this message.';

/** The number of bytes in base64. */
export function base64Bytes(base64: string): number {
  const padding = base64.indexOf('=');
  return Math.floor(((padding === -1 ? base64.length : padding) * 3) / 4);
}

/** A file that a person gives with a message. */
export const GivenFile = z.strictObject({
  name: ArtifactName,
  media_type: MediaType.default('application/octet-stream'),
  content: z
    .string()
    .min(4)
    .max(CONTENT_MAX_CHARS)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'write the bytes in base64')
    .refine((text) => text.length % 4 === 0 && base64Bytes(text) <= GIVEN_FILE_MAX_BYTES, {
      message: `write at most ${GIVEN_FILE_MAX_BYTES} bytes in base64, with padding`,
    })
    .describe('Base64'),
});
export type GivenFile = z.infer<typeof GivenFile>;

/** A file in the list at the end of a message. `path` is below /workspace. */
export interface ListedFile {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
}

const LIST_HEAD = '\n\nFiles of this message:\n';
const LISTED = /^- \/workspace\/(given\/[0-9a-f]+\/[^/]+) \(([^\s(),]+), (\d{1,6}) bytes\)$/;

/** The text of a message with the list of its files, by which the agent knows their paths. Pure. */
export function withFileList(text: string, files: readonly ListedFile[]): string {
  if (files.length === 0) return text;
  const lines = files.map(({ path, mediaType, bytes }) => `- /workspace/${path} (${mediaType}, ${bytes} bytes)`);
  return text + LIST_HEAD + lines.join('\n');
}

/**
 * The text of a message as its author wrote it, and its files by the names that the author gave them. A text without a
 * list stays as it is. Pure.
 */
export function readFileList(message: string): {
  readonly text: string;
  readonly files: readonly (ListedFile & { readonly name: string })[];
} {
  const at = message.lastIndexOf(LIST_HEAD);
  const lines = at === -1 ? [] : message.slice(at + LIST_HEAD.length).split('\n');
  const files = lines.flatMap((line) => {
    const [, path, mediaType, bytes] = LISTED.exec(line) ?? [];
    if (path === undefined || mediaType === undefined) return [];
    return [{ path, mediaType, bytes: Number(bytes), name: path.slice(path.lastIndexOf('/') + 1) }];
  });
  const isList = files.length > 0 && files.length === lines.length && files.length <= GIVEN_FILES_MAX;
  return isList ? { text: message.slice(0, at), files } : { text: message, files: [] };
}

/** A given file as the agent that works on the run sees it. */
export const RunFile = z.strictObject({
  path: z.string().max(PATH_MAX_CHARS).describe('Below /workspace'),
  sha256: Sha256,
});
export type RunFile = z.infer<typeof RunFile>;
