const HEAD_LENGTH = 4;
/** The longest line of the protocol, with its head (gitprotocol-common). */
const MAX_LINE_LENGTH = 65_520;

/** One line of the pkt-line format, a flush, or a delimiter of protocol 2. */
export type WholeLine =
  | { readonly kind: 'line'; readonly text: string; readonly end: number }
  | { readonly kind: 'flush' | 'delim'; readonly end: number };

/** A line, or `more` if the bytes end within it; null for anything else. */
type PktLine = WholeLine | { readonly kind: 'more' } | null;

/** Reads the line that begins at an offset. Text is read as latin1, so every byte stays visible. */
export function readPktLine(bytes: Buffer, at: number): PktLine {
  if (bytes.length < at + HEAD_LENGTH) return { kind: 'more' };
  const head = bytes.toString('latin1', at, at + HEAD_LENGTH);
  if (head === '0000') return { kind: 'flush', end: at + HEAD_LENGTH };
  if (head === '0001') return { kind: 'delim', end: at + HEAD_LENGTH };
  const length = /^[0-9a-fA-F]{4}$/.test(head) ? Number.parseInt(head, 16) : 0;
  if (length <= HEAD_LENGTH || length > MAX_LINE_LENGTH) return null;
  const end = at + length;
  if (bytes.length < end) return { kind: 'more' };
  return { kind: 'line', text: bytes.toString('latin1', at + HEAD_LENGTH, end).replace(/\n$/, ''), end };
}

/** Encodes a text as one line. The caller shortens a longer text. */
export function pktLine(text: Buffer | string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from((body.length + HEAD_LENGTH).toString(16).padStart(HEAD_LENGTH, '0')), body]);
}

export const PKT_FLUSH = Buffer.from('0000');
