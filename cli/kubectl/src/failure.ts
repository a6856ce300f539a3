/** What went wrong, in words for the person who typed the command. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** 1: the answer is no, or it did not work. 2: the command was not understood. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
