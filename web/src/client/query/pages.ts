/** A page of a list, and the cursor of the next page; null at the end. */
export type PageOf<T> = Readonly<{ rows: readonly T[]; next: string | null }>;

/** The pages of a list that were read so far. `pages` is their number, and `next` the cursor of the next page. */
export interface PagesState<T> extends PageOf<T> {
  readonly pages: number;
}

/**
 * The list after a refresh of its first page. Rows that newer ones pushed off the first page stay before those of later
 * pages, so that no row is lost between them. If the new first page has no known row, there is a gap of unknown size:
 * the list then starts again with that page.
 */
export function withFirst<T>(state: PagesState<T> | null, page: PageOf<T>, idOf: (row: T) => string): PagesState<T> {
  const fresh = { rows: page.rows, next: page.next, pages: 1 };
  if (state === null || state.pages <= 1 || page.next === null) return fresh;
  const ids = new Set(page.rows.map(idOf));
  const meeting = state.rows.findLastIndex((row) => ids.has(idOf(row)));
  return meeting === -1 ? fresh : { ...state, rows: [...page.rows, ...state.rows.slice(meeting + 1)] };
}

/**
 * Adds a later page to the list. Ignores a page that is no longer next: `from` must be the cursor at the present end.
 */
export function withLater<T>(
  state: PagesState<T>,
  { from, page }: { readonly from: string; readonly page: PageOf<T> },
  idOf: (row: T) => string,
): PagesState<T> {
  if (state.next !== from) return state;
  const known = new Set(state.rows.map(idOf));
  return {
    rows: [...state.rows, ...page.rows.filter((row) => !known.has(idOf(row)))],
    next: page.next,
    pages: state.pages + 1,
  };
}
