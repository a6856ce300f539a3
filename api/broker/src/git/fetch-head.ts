import { constants, gunzipSync } from 'node:zlib';
import { readPktLine } from './pkt-line.ts';

/** Number of compressed bytes that always contain the first line of a fetch. */
const GZIP_BYTES = 1_024;
const MAX_INFLATED = 2 * 1024 * 1024;
/** The first line of a request to `git-upload-pack`: of protocol 2, and of 0 and 1 (gitprotocol-v2, gitprotocol-pack). */
const FIRST = /^(?:command=(?:ls-refs|fetch|object-info|bundle-uri)|want (?:[0-9a-f]{40}|[0-9a-f]{64})(?: |$))/;

/** Decides whether bytes start a git fetch; `more` if they are too few. Pure. */
export function readFetchHead(bytes: Buffer, isGzip: boolean): 'fetch' | 'other' | 'more' {
  const text = isGzip ? inflated(bytes) : bytes;
  if (text === null) return 'other';
  const line = readPktLine(text, 0);
  if (line === null || line.kind === 'flush') return 'other';
  if (line.kind === 'line') return FIRST.test(line.text) ? 'fetch' : 'other';
  return isGzip && bytes.length >= GZIP_BYTES ? 'other' : 'more';
}

function inflated(bytes: Buffer): Buffer | null {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_INFLATED };
  try {
    return bytes.length < 2 ? Buffer.alloc(0) : gunzipSync(bytes.subarray(0, GZIP_BYTES), options);
  } catch {
    return null;
  }
}
