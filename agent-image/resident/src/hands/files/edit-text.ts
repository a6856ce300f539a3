import { isCrlf, toCrlf, toLf, type TextCodec } from './text-codec.ts';

export interface TextEdit {
  readonly old: string;
  readonly fresh: string;
  readonly all: boolean;
}

/** `lines`: the line where each occurrence begins, counted from 1. */
export type EditedText =
  | { readonly kind: 'edited'; readonly data: Buffer; readonly lines: readonly number[] }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'not_unique'; readonly lines: readonly number[] }
  | { readonly kind: 'not_in_encoding' };

/** A part of a text to replace; `end` is after its last character. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces a text in the bytes of a file. All bytes outside of the replaced text stay. Line endings of the old text
 * need not be those of the file; the new text gets those of the file. Pure.
 */
export function editText(data: Buffer, codec: TextCodec, edit: TextEdit): EditedText {
  const text = codec.decode(data);
  const direct = edited(text, codec, edit);
  if (direct.kind !== 'not_found' || codec.name !== 'Windows-1252') return direct;
  // UTF-8 with a few invalid bytes counts as Windows-1252; it contains the UTF-8 bytes of the call.
  return edited(text, codec, { ...edit, old: asBytes(codec, edit.old), fresh: asBytes(codec, edit.fresh) });
}

const asBytes = (codec: TextCodec, text: string): string => codec.decode(Buffer.from(text.toWellFormed()));

function edited(text: string, codec: TextCodec, { old, fresh, all }: TextEdit): EditedText {
  const places = placesOf(text, old);
  if (places.length === 0) return { kind: 'not_found' };
  const lines = linesAt(text, places);
  if (places.length > 1 && !all) return { kind: 'not_unique', lines };
  const isInCrlf = isCrlf(text);
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of places) {
    parts.push(text.slice(from, start), replaced(text.slice(start, end), { old, fresh, isInCrlf }));
    from = end;
  }
  parts.push(text.slice(from));
  const data = codec.encode(parts.join(''));
  return data === null ? { kind: 'not_in_encoding' } : { kind: 'edited', data, lines };
}

/** All occurrences of a text. LF also matches CRLF, and CRLF matches LF. */
function placesOf(text: string, old: string): readonly Place[] {
  const hasEnds = old.includes('\n');
  if (!hasEnds || old.includes('\r\n') || !text.includes('\r\n')) {
    const exact = occurrences(text, old).map((start) => ({ start, end: start + old.length }));
    if (exact.length > 0 || !hasEnds) return exact;
  }
  const [plain, offsets] = [toLf(old), crlfOffsets(text)];
  return occurrences(toLf(text), plain).map((start) => ({
    start: withCr(offsets, start),
    end: withCr(offsets, start + plain.length),
  }));
}

/** Converts a position in the text with LF to one in the text that has CRLF at `offsets`. */
const withCr = (offsets: readonly number[], position: number): number => position + countBefore(offsets, position);

function occurrences(text: string, part: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

/** Positions of the line endings that were CRLF, in the text with LF alone. */
function crlfOffsets(text: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) offsets.push(at - offsets.length);
  return offsets;
}

function countBefore(offsets: readonly number[], limit: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Replaced extends Pick<TextEdit, 'old' | 'fresh'> {
  readonly isInCrlf: boolean;
}

/** The new text in the place of `present`. Their common beginning and end keep their line endings. */
function replaced(present: string, { old, fresh, isInCrlf }: Replaced): string {
  if (present === old && (old.includes('\r\n') || fresh.includes('\r\n'))) return fresh;
  const [was, put, offsets] = [toLf(present), toLf(fresh), crlfOffsets(present)];
  const most = Math.min(was.length, put.length);
  let head = 0;
  while (head < most && was[head] === put[head]) head += 1;
  let tail = 0;
  while (tail < most - head && was.at(-1 - tail) === put.at(-1 - tail)) tail += 1;
  const middle = put.slice(head, put.length - tail);
  const isCr = present.includes('\n') ? present.includes('\r\n') : isInCrlf;
  const [from, to] = [withCr(offsets, head), withCr(offsets, was.length - tail)];
  return `${present.slice(0, from)}${isCr ? toCrlf(middle) : middle}${present.slice(to)}`;
}

function linesAt(text: string, places: readonly Place[]): readonly number[] {
  let [line, from] = [1, 0];
  return places.map(({ start }) => {
    for (let at = text.indexOf('\n', from); at >= 0 && at < start; at = text.indexOf('\n', from)) {
      line += 1;
      from = at + 1;
    }
    return line;
  });
}
