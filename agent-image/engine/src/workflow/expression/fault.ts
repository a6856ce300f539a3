/**
 * An evaluation that failed. It never leaves the folder: `evaluate` returns its message.
 *
 * `isFinal`: logical operators and macros pass it on instead of trying the next value.
 */
export class Fault extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}
