import type { Kept } from './check-history.ts';
import { saidOf } from './open-checkpoint.ts';

/** Where a browser keeps the newest checkpoint that it has verified. Storage is per origin, so each village has its own. */
const PLACE = 'hamlet-log';
const SPLIT = '\n\n';

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** What was kept; null where nothing was, or what is there cannot be read. */
export function readKept(shelf: Shelf): Kept | null {
  const text = shelf.getItem(PLACE) ?? '';
  const at = text.indexOf(SPLIT);
  const checkpoint = at < 0 ? null : saidOf(text.slice(at + SPLIT.length));
  return checkpoint === null ? null : { key: text.slice(0, at), checkpoint };
}

/** Keeps a checkpoint that was verified. @param note the signed note as it was sent */
export function keep(shelf: Shelf, keyText: string, note: string): void {
  shelf.setItem(PLACE, `${keyText.trim()}${SPLIT}${note}`);
}

/** Forgets it: for a village that was made anew, with a log and a key of its own. */
export function forget(shelf: Shelf): void {
  shelf.removeItem(PLACE);
}
