import { fitPieces } from './fit-pieces.ts';
import { byBytes, textPiece } from './text-piece.ts';

/** Recalled memory helps with a few facts; more of it hides the message that it belongs to. */
const MAX_BYTES = 8_000;

/** Recalled memories, best first, as text of a bounded length. If they do not fit, the last ones are shortened or left out. Pure. */
export function recalledText(memories: readonly string[]): string {
  const pieces = memories.map((text, index) =>
    textPiece(`${text}\n`, { place: 'middle', importance: memories.length - index }, byBytes(1)),
  );
  return fitPieces(pieces, MAX_BYTES)
    .flatMap(({ value }) => value ?? [])
    .join('')
    .trimEnd();
}
