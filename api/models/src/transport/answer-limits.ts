/** Limits on the answers of a provider; times in milliseconds. Each field is an option of the configuration. */
export interface AnswerLimits {
  readonly answerBytes: number;
  readonly lineBytes: number;
  readonly toolCalls: number;
  /** From the request to the first byte of the answer's body. */
  readonly firstByteMs: number;
  /** Between two reads of the body. */
  readonly idleMs: number;
  /** From the request to the end of the answer; at most an hour. */
  readonly totalMs: number;
}

export const ANSWER_LIMITS: AnswerLimits = {
  answerBytes: 16 * 1024 * 1024,
  lineBytes: 1024 * 1024,
  toolCalls: 64,
  // A large model on one machine may read a long prompt for minutes before its first token.
  firstByteMs: 180_000,
  idleMs: 60_000,
  totalMs: 600_000,
};

/** Maximum number of bytes to read from the body of an error. */
export const ERROR_BYTES = 65_536;
