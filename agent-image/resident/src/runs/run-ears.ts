import type { RunHint } from '@hamlet/contract';

/** What the part that works on runs hears from the stream of wakes. */
export interface RunEars {
  /** The stream has been opened: what was missed may be there. */
  look(): void;
  hint(hint: RunHint): void;
  /** The agent has come to where it was going. */
  arrived(): void;
}
