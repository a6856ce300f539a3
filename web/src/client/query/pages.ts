/** A page of a list, and where the next one begins; null at the end. */
export interface PageOf<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
}

/** A list as far as it was read. `pages` counts the pages, `next` is where the one after them begins. */
export interface PagesState<T> extends PageOf<T> {
  readonly pages: number;
}

/**
 * The list after its first page was read again. Rows that newer ones pushed off the first page stay where they were, before those of later pages: no
 * row between the two is lost. Where the new first page meets no known row, there is a gap of unknown size: the list begins again with it.
 */
export function withFirst<T>(state: PagesState<T> | null, page: PageOf<T>, idOf: (row: T) => string): PagesState<T> {
  const fresh = { rows: page.rows, next: page.next, pages: 1 };
  if (state === null || state.pages <= 1 || page.next === null) return fresh;
  const ids = new Set(page.rows.map(idOf));
  const meeting = state.rows.findLastIndex((row) => ids.has(idOf(row)));
  return meeting === -1 ? fresh : { ...state, rows: [...page.rows, ...state.rows.slice(meeting + 1)] };
}

/** The list with a later page, unless the answer is late: `from` is not where the list ends now. */
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
