/** Rows kept above and below the ones in sight, so that scrolling and the arrow keys find the next ones drawn. */
const MARGIN_ROWS = 8;

/** The part of a long list that is drawn: from `first` up to, not including, `end`. */
export interface ListWindow {
  readonly first: number;
  readonly end: number;
}

/** Which rows of a list of equal rows are drawn. Lengths are CSS pixels. */
export function windowOf({
  count,
  rowPx,
  scrollPx,
  heightPx,
}: {
  readonly count: number;
  readonly rowPx: number;
  readonly scrollPx: number;
  readonly heightPx: number;
}): ListWindow {
  const first = Math.max(0, Math.min(count, Math.floor(scrollPx / rowPx) - MARGIN_ROWS));
  const end = Math.min(count, Math.ceil((scrollPx + heightPx) / rowPx) + MARGIN_ROWS);
  return { first, end: Math.max(first, end) };
}
