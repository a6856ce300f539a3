import type { CapabilityClass } from './classes.ts';
import type { Word } from './words.ts';

/** Classes of one use of a program. */
export interface Use {
  readonly classes: readonly CapabilityClass[];
  /** Files that it writes, whose location decides between inside and outside. */
  readonly paths?: readonly Word[];
  /** The content of each path: a file by default; nothing; or a folder whose names and contents others chose. */
  readonly writes?: 'nothing' | 'folder';
}
