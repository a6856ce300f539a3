import { StringDecoder } from 'node:string_decoder';
import { shorten } from '@hamlet/core/shorten';
import { z } from 'zod';

/** Records of the supervisor (agent-image/supervisor/README.md). */
const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
export const OutputPart = z.object({ data: bytes, more: z.boolean() });
/** A part of a file. `sha256` is that of the whole file, absent above 64 MiB. */
export const FilePart = z.object({ size: z.int(), data: bytes, sha256: z.string().optional() });

const NOTE_CHARS = 4_000;
const CHARACTER_BYTES_MAX = 4;

/** One stream: `head` and `tail` are its first and last 16 KiB; `kept` bytes can be read. */
export const OutputStream = z.object({ bytes: z.int(), kept: z.int(), head: bytes, tail: bytes.optional() });
export type OutputStream = z.infer<typeof OutputStream>;

export const ProcessRecord = z.object({
  process: z.string(),
  owner: z.string().optional(),
  program: z.string(),
  state: z.string(),
  startedMs: z.number(),
  endedMs: z.number().optional(),
  exit: z
    .object({
      code: z.int().optional(),
      signal: z.string().optional(),
      cause: z.enum(['exit', 'killed', 'timeout', 'oom', 'full']),
      // The supervisor's words about the end, or about its earlier measures against the programs.
      note: z
        .string()
        .transform((text) => shorten(text.toWellFormed(), NOTE_CHARS))
        .optional(),
    })
    .optional(),
  existing: z.boolean().optional(),
  stdout: OutputStream.optional(),
  stderr: OutputStream.optional(),
});
export type ProcessRecord = z.infer<typeof ProcessRecord>;
export type EndedProcess = ProcessRecord & { readonly exit: NonNullable<ProcessRecord['exit']> };

/** Head and tail of a stream as text, with a note about the omitted bytes. Bytes of a character that the cut divides are omitted. */
export function joinedOutput(head: Buffer, tail: Buffer, total: number): string {
  const left = total - head.length - tail.length;
  if (left <= 0) return Buffer.concat([head, tail]).toString();
  const begin = new StringDecoder('utf8').write(head);
  return `${begin}\n[… ${left} bytes left out …]\n${tail.subarray(continuationBytes(tail)).toString()}`;
}

/** The number of bytes at the beginning that belong to a character before it. */
function continuationBytes(data: Buffer): number {
  const first = data.subarray(0, CHARACTER_BYTES_MAX).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, first);
}
