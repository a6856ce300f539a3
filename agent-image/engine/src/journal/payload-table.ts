import type { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export const MAX_PAYLOAD_BYTES = 16 << 20;

/** A shorter text gains nothing. */
const MIN_COMPRESSED_BYTES = 256;
/** The smallest gain that is worth the time: an eighth. */
const WORTH = 7 / 8;
const COMPRESSION = { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } };

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
}>;

export function openPayloadTable(database: DatabaseSync): PayloadTable {
  const insert = database.prepare('insert into payload (ref, body) values (?, ?) on conflict do nothing');
  const select = database.prepare('select body from payload where ref = ?');
  return {
    insert: (ref, text) => void insert.run(ref, stored(text)),
    textOf: (ref) => {
      const body = select.get(ref)?.['body'];
      if (body instanceof Uint8Array) return inflated(body);
      return typeof body === 'string' ? body : null;
    },
  };
}

function stored(text: string): string | Uint8Array {
  if (text.length < MIN_COMPRESSED_BYTES) return text;
  const bytes = Buffer.from(text);
  const compressed = zstdCompressSync(bytes, COMPRESSION);
  return compressed.length < bytes.length * WORTH ? compressed : text;
}

const inflated = (body: Uint8Array): string =>
  zstdDecompressSync(body, { maxOutputLength: MAX_PAYLOAD_BYTES }).toString();
