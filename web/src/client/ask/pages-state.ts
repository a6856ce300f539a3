import type { Refused } from '../api.ts';

/** A page of a list, and where the next one begins; null at the end. */
export interface PageOf<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
}

/**
 * A list as far as it was read. `question` is what it answers; `rows` is null until the first page came. `pages` counts the pages that were read,
 * `next` is where the one after them begins, `refused` is why the last attempt gave nothing.
 */
export interface PagesState<T> {
  readonly question: string;
  readonly rows: readonly T[] | null;
  readonly next: string | null;
  readonly pages: number;
  readonly refused: Refused | null;
}

/** The state for a question: the same list while the question is the same, an empty one for another. */
export function pagesFor<T>(state: PagesState<T>, question: string): PagesState<T> {
  return state.question === question ? state : { question, rows: null, next: null, pages: 0, refused: null };
}

/**
 * The list after its first page was read again. Rows that newer ones pushed off the first page stay where they were, before those of later pages: no
 * row between the two is lost. Where the new first page meets nothing that is known, there is a gap of unknown size: the list begins again with it.
 */
export function withFirst<T>(state: PagesState<T>, page: PageOf<T>, idOf: (row: T) => string): PagesState<T> {
  const fresh = { ...state, rows: page.rows, next: page.next, pages: 1, refused: null };
  if (state.rows === null || state.pages <= 1 || page.next === null) return fresh;
  const ids = new Set(page.rows.map(idOf));
  const meeting = state.rows.findLastIndex((row) => ids.has(idOf(row)));
  if (meeting === -1) return fresh;
  return { ...state, rows: [...page.rows, ...state.rows.slice(meeting + 1)], refused: null };
}

/** The list with a later page, unless the answer is late: to another question, or to where the list no longer ends. */
export function withLater<T>(
  state: PagesState<T>,
  { question, from, page }: { readonly question: string; readonly from: string; readonly page: PageOf<T> },
  idOf: (row: T) => string,
): PagesState<T> {
  if (state.question !== question || state.next !== from || state.rows === null) return state;
  const known = new Set(state.rows.map(idOf));
  return {
    ...state,
    rows: [...state.rows, ...page.rows.filter((row) => !known.has(idOf(row)))],
    next: page.next,
    pages: state.pages + 1,
    refused: null,
  };
}

/** The list where an attempt to read it was refused: what is known stays. */
export function withRefusal<T>(state: PagesState<T>, question: string, refused: Refused): PagesState<T> {
  return state.question === question ? { ...state, refused } : state;
}
