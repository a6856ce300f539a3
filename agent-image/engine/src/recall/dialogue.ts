/** One turn of a recorded conversation. */
export interface DialogueTurn {
  /** Unique in the dialogue. */
  readonly id: string;
  readonly session: string;
  readonly speaker: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface DialogueQuestion {
  readonly question: string;
  /** Ids of the turns that answer it together. */
  readonly evidence: readonly string[];
  /** A group of questions with a figure of its own. */
  readonly kind: string;
}

/** A conversation over many sessions, and questions about it. */
export interface Dialogue {
  readonly turns: readonly DialogueTurn[];
  readonly questions: readonly DialogueQuestion[];
}
