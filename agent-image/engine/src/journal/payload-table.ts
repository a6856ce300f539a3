import type { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export const MAX_PAYLOAD_BYTES = 16 << 20;

/** Shorter texts stay as they are: compression would not shorten them. */
const MIN_COMPRESSED_BYTES = 256;
/** A text is stored compressed if that saves an eighth: less is not worth the time. */
const MAX_RATIO = 7 / 8;
const PARAMS = { [constants.ZSTD_c_contentSizeFlag]: 0 };
/** Room for a text that cannot be compressed, so that each text takes one buffer of its size. */
const MIN_ROOM_BYTES = 64;

/** A body is the text, or a blob with the compressed text. */
export const PAYLOAD_SCHEMA = `create table payload (
  id integer primary key,
  ref text not null unique,
  body text not null
);
`;

/** The texts of a journal by their references. */
export type PayloadTable = Readonly<{
  insert: (ref: string, text: string) => void;
  /** Null if the text was deleted. */
  textOf: (ref: string) => string | null;
  /** Call it after a deletion of texts, or a rollback. */
  forget: () => void;
}>;

/** Maximum characters of the newest texts in memory: a step reads the texts that the step before it wrote. */
const MAX_RECENT_CHARS = 65_536;

export function openPayloadTable(database: DatabaseSync): PayloadTable {
  const insert = database.prepare('insert into payload (ref, body) values (?, ?) on conflict do nothing');
  const select = database.prepare('select body from payload where ref = ?');
  const recent = new Map<string, string>();
  let chars = 0;
  const forget = (): void => {
    recent.clear();
    chars = 0;
  };
  return {
    insert: (ref, text) => {
      insert.run(ref, stored(text));
      if (text.length < MIN_COMPRESSED_BYTES || recent.has(ref)) return;
      if (chars + text.length > MAX_RECENT_CHARS) forget();
      if (text.length > MAX_RECENT_CHARS) return;
      recent.set(ref, text);
      chars += text.length;
    },
    textOf: (ref) => {
      const known = recent.get(ref);
      if (known !== undefined) return known;
      const body = select.get(ref)?.['body'];
      if (body instanceof Uint8Array) return inflated(body);
      return typeof body === 'string' ? body : null;
    },
    forget,
  };
}

function stored(text: string): string | Uint8Array {
  if (text.length < MIN_COMPRESSED_BYTES) return text;
  const bytes = Buffer.from(text);
  // By default the compressor makes ready for a text of any length, with buffers of megabytes.
  const compressed = zstdCompressSync(bytes, {
    params: PARAMS,
    pledgedSrcSize: bytes.length,
    chunkSize: bytes.length + MIN_ROOM_BYTES,
  });
  return compressed.length < bytes.length * MAX_RATIO ? compressed : text;
}

const inflated = (body: Uint8Array): string =>
  zstdDecompressSync(body, { maxOutputLength: MAX_PAYLOAD_BYTES }).toString();
