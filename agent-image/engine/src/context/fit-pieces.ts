/** The head of a context stays first, then its tail; the middle gives way. */
export type Place = 'head' | 'middle' | 'tail';

export const FORMS = ['whole', 'shortened', 'left_out'] as const;
export type Form = (typeof FORMS)[number];

export type Sized<T> = Readonly<{ value: T; tokens: number }>;

export type Piece<T> = Sized<T> &
  Readonly<{
    place: Place;
    /** Pieces of greater importance stay longer. Only the order of the numbers counts. */
    importance: number;
    /** The value in at most `maxTokens`; null if it cannot be that short. */
    shorten: (maxTokens: number) => Sized<T> | null;
  }>;

export type Fitted<T> = Readonly<{ form: Form; value: T | null; tokens: number }>;

/** A shorter excerpt says too little to be worth its place. */
const LEAST_TOKENS = 24;

const LEFT_OUT = { form: 'left_out', value: null, tokens: 0 } as const;

const whole = <T>({ value, tokens }: Piece<T>): Fitted<T> => ({ form: 'whole', value, tokens });

/**
 * Fits pieces into `maxTokens`, in their order; equal input gives equal output. The head stays whole, and then the tail; the longest
 * of a head or tail that is too long are shortened. Each piece of the middle gets an equal share of the rest, the most important ones
 * first; what is left makes those whole that are worth most for their tokens. Pure.
 */
export function fitPieces<T>(pieces: readonly Piece<T>[], maxTokens: number): readonly Fitted<T>[] {
  if (sumOf(pieces) <= maxTokens) return pieces.map(whole);
  const fit: Fitting<T> = { pieces, fitted: pieces.map(() => LEFT_OUT), left: Math.max(0, maxTokens) };
  for (const each of ['head', 'tail']) keep(fit, indexesOf(pieces, each));
  const middle = indexesOf(pieces, 'middle').toSorted(byImportance(pieces));
  excerpt(fit, middle);
  restore(fit, middle);
  return fit.fitted;
}

/** The result so far. Mutable: each placed piece uses up a part of what is left. */
type Fitting<T> = { readonly pieces: readonly Piece<T>[]; readonly fitted: Fitted<T>[]; left: number };

const sumOf = (pieces: readonly Readonly<{ tokens: number }>[]): number =>
  pieces.reduce((sum, { tokens }) => sum + tokens, 0);

const indexesOf = <T>(pieces: readonly Piece<T>[], where: string): readonly number[] =>
  pieces.flatMap((piece, index) => (piece.place === where ? [index] : []));

/** Ties favour the later piece. */
const byImportance =
  <T>(pieces: readonly Piece<T>[]) =>
  (one: number, other: number): number =>
    (pieces[other]?.importance ?? 0) - (pieces[one]?.importance ?? 0) || other - one;

function keep<T>(fit: Fitting<T>, kept: readonly number[]): void {
  const sizes = kept.map((index) => fit.pieces[index]?.tokens ?? 0);
  const cap = levelFor(sizes, fit.left);
  for (const index of kept) place(fit, index, cap);
}

/** Gives a piece at most `cap` tokens, if it has a form that short. */
function place<T>(fit: Fitting<T>, index: number, cap: number): void {
  const piece = fit.pieces[index];
  if (piece === undefined) return;
  const form = piece.tokens <= cap ? whole(piece) : shortened(piece, cap);
  if (form === null || form.tokens > cap) return;
  fit.left += (fit.fitted[index]?.tokens ?? 0) - form.tokens;
  fit.fitted[index] = form;
}

function shortened<T>(piece: Piece<T>, cap: number): Fitted<T> | null {
  const short = piece.shorten(cap);
  return short === null ? null : { form: 'shortened', ...short };
}

function excerpt<T>(fit: Fitting<T>, middle: readonly number[]): void {
  const share = Math.max(LEAST_TOKENS, Math.floor(fit.left / Math.max(1, middle.length)));
  for (const index of middle) place(fit, index, Math.min(share, fit.left));
}

/** Uses the rest: first whole pieces by importance for each token that they need, then longer excerpts. */
function restore<T>(fit: Fitting<T>, middle: readonly number[]): void {
  const { pieces, fitted } = fit;
  const sizeOf = (index: number): number => fitted[index]?.tokens ?? 0;
  const growthOf = (index: number): number => (pieces[index]?.tokens ?? 0) - sizeOf(index);
  const worthOf = (index: number): number => (pieces[index]?.importance ?? 0) / Math.max(1, growthOf(index));
  const open = middle.filter((index) => fitted[index]?.form !== 'whole');
  for (const index of open.toSorted((one, other) => worthOf(other) - worthOf(one) || other - one))
    if (growthOf(index) <= fit.left) place(fit, index, sizeOf(index) + fit.left);
  for (const index of open)
    if (fit.left >= LEAST_TOKENS && fitted[index]?.form !== 'whole') place(fit, index, sizeOf(index) + fit.left);
}

/** The size to which the longest of these sizes must be cut so that their sum is at most `total`. Pure. */
export function levelFor(sizes: readonly number[], total: number): number {
  let left = Math.max(0, total);
  const sorted = sizes.toSorted((one, other) => one - other);
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.MAX_SAFE_INTEGER;
}
