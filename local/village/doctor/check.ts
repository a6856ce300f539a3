/** One thing that the village depends on. */

export interface Finding {
  readonly ok: boolean;
  /** What was found, in a few words. */
  readonly found: string;
  /** What to do when it is not right. */
  readonly fix?: string;
}

export interface Check {
  readonly name: string;
  /** `make up` cannot work without what a required check looks at; what it brings itself is not required. */
  readonly required: boolean;
  readonly look: () => Promise<Finding> | Finding;
}

/** A finding that is right. */
export function right(found: string): Finding {
  return { ok: true, found };
}

/** A finding that is wrong, with what to do about it. */
export function wrong(found: string, fix: string): Finding {
  return { ok: false, found, fix };
}
