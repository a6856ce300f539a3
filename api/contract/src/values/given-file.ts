import { z } from 'zod';
import { ArtifactName, MediaType, Sha256 } from './artifact.ts';

export const GIVEN_FILES_MAX = 4;
/** The largest file that the hands take in one message. */
export const GIVEN_FILE_MAX_BYTES = 512 << 10;
const CONTENT_MAX_CHARS = Math.ceil(GIVEN_FILE_MAX_BYTES / 3) * 4;
/** Largest body of a message with files: their base64, and 128 KiB for the rest. */
export const GIVEN_FILES_BODY_MAX_BYTES = GIVEN_FILES_MAX * CONTENT_MAX_CHARS + (128 << 10);
const PATH_MAX_CHARS = 300;

function bytesIn(base64: string): number {
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
    .refine((text) => text.length % 4 === 0 && bytesIn(text) <= GIVEN_FILE_MAX_BYTES, {
      message: `write at most ${GIVEN_FILE_MAX_BYTES} bytes in base64, with padding`,
    })
    .describe('Base64'),
});
export type GivenFile = z.infer<typeof GivenFile>;

/** A given file as the agent that works on the run sees it. */
export const RunFile = z.strictObject({
  path: z.string().max(PATH_MAX_CHARS).describe('Below /workspace'),
  sha256: Sha256,
});
export type RunFile = z.infer<typeof RunFile>;
