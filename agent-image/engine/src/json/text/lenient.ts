import type { Guide } from '../guide.ts';
import type { RepairAction } from '../repair.ts';
import type { Fault } from './fault.ts';

/** Maximum nesting of lists and objects, as in the API: later functions recurse for each level. */
export const LEVELS_MAX = 32;

export type LenientOptions = Readonly<{
  start: number;
  guide: Guide | null;
  /** Texts may have quotes inside, or lack one. */
  areQuotesInner: boolean;
  /** A name that only an outer object has ends the inner one. */
  isByName: boolean;
  /** A bracket of the wrong kind stands for the right one. */
  areBracketsWrong: boolean;
  /** The bracket that is missing before the start. */
  opener: '{' | '[' | null;
}>;

/**
 * `missing`: brackets that were added at the end. `isAtValue`: the text ends with a value, not with a bracket.
 * `isUnsure`: an added bracket may belong elsewhere.
 */
export type Lenient = Readonly<{
  node: unknown;
  end: number;
  actions: ReadonlySet<RepairAction>;
  missing: number;
  isAtValue: boolean;
  isUnsure: boolean;
}>;

/** `changesBrackets`: brackets were added, removed or replaced before the end or the fault. */
export type Attempt = Readonly<{ found: Lenient | Fault; changesBrackets: boolean }>;
