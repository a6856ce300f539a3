import type { Work } from './work.ts';

/** The values that an expression can name, such as `task` and `input`: JSON. */
export type Scope = Readonly<Record<string, unknown>>;

/** The variables of macros, the innermost first. */
export type Names = Readonly<{ name: string; value: unknown; outer: Names | null }>;

/** The values around a node of an expression that is evaluated. */
export type Place = Readonly<{ scope: Scope; names: Names | null; work: Work }>;
