import { constants, gunzipSync } from 'node:zlib';

/** Number of bytes of the first line that decide: head, command or object id, and one more. */
const DECIDING_BYTES = 74;
/** Number of compressed bytes that always contain the first line of a fetch. */
const GZIP_BYTES = 1_024;
const MAX_INFLATED = 2 * 1024 * 1024;
/** The first line of a request to `git-upload-pack`: of protocol 2, and of 0 and 1 (gitprotocol-v2, gitprotocol-pack). */
const FIRST = /^(?:command=(?:ls-refs|fetch|object-info|bundle-uri)|want (?:[0-9a-f]{40}|[0-9a-f]{64})(?: |$))/;

/** Decides whether bytes start a git fetch; `more` if they are too few. Pure. */
export function readFetchHead(bytes: Buffer, isGzip: boolean): 'fetch' | 'other' | 'more' {
  const text = isGzip ? inflated(bytes) : bytes;
  if (text === null) return 'other';
  const found = firstLine(text);
  if (found !== null) return FIRST.test(found) ? 'fetch' : 'other';
  return isGzip && bytes.length >= GZIP_BYTES ? 'other' : 'more';
}

/** The deciding part of the first pkt-line; empty for bytes of another form, null while bytes are missing. */
function firstLine(text: Buffer): string | null {
  if (text.length < 4) return null;
  const head = text.toString('latin1', 0, 4);
  const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : 0;
  const wanted = Math.min(length, DECIDING_BYTES);
  if (wanted > text.length) return null;
  return text.toString('latin1', 4, Math.max(4, wanted)).replace(/\n$/, '');
}

function inflated(bytes: Buffer): Buffer | null {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_INFLATED };
  try {
    return bytes.length < 2 ? Buffer.alloc(0) : gunzipSync(bytes.subarray(0, GZIP_BYTES), options);
  } catch {
    return null;
  }
}
