const CHECK_EVERY_MS = 20;

export interface AnswerCheckPorts {
  readonly strictAnswers: boolean;
  readonly monotonicMs: () => number;
}

/**
 * Whether this answer of a route is held to its schema: each where answers are strict, elsewhere at most one in 20 ms. An answer outside its schema
 * is a bug that shows in any of them, and to parse a large one costs more than all else that is done for it.
 */
export function answerCheck({ strictAnswers, monotonicMs }: AnswerCheckPorts): () => boolean {
  if (strictAnswers) return () => true;
  let checkedAtMs = -Infinity;
  return () => {
    const nowMs = monotonicMs();
    if (nowMs - checkedAtMs < CHECK_EVERY_MS) return false;
    checkedAtMs = nowMs;
    return true;
  };
}
