export type Program = Readonly<{
  /** Unique among the programs of the pod: a second start with the same id starts nothing. */
  id: string;
  /** Programs of one owner end together. */
  owner: string;
  argv: readonly [string, ...string[]];
  cwd: string;
  /** Added to the variables of the container. */
  env: Readonly<Record<string, string>>;
  stdin: string;
  timeoutMs: number;
}>;

/** One output stream of a program. `text` lacks the middle if the stream is longer than its reader keeps. */
export type Printed = Readonly<{ text: string; bytes: number }>;

export type ProgramEnd = Readonly<{
  /** Exit code; null if a signal ended the program. */
  code: number | null;
  /** `exit`: the program ended by itself. In the other cases it was ended with everything that it started. */
  cause: 'exit' | 'request' | 'timeout' | 'memory' | 'disk';
  stdout: Printed;
  stderr: Printed;
}>;

/** A program that did not start (`started` false), or whose outcome is unknown. `code` is machine-readable. */
export class ProgramError extends Error {
  readonly code: string;
  readonly started: boolean;
  constructor(code: string, message: string, { started }: Readonly<{ started: boolean }>) {
    super(message);
    this.code = code;
    this.started = started;
  }
}

export type ProgramPort = Readonly<{
  /**
   * Runs a program until its end; `hear` receives its standard output as it arrives. An abort of the signal ends the program with
   * everything that it started, within 2 s. Rejects with `ProgramError`.
   */
  run: (
    program: Program,
    ports: Readonly<{ onOutput: (text: string) => void; signal: AbortSignal }>,
  ) => Promise<ProgramEnd>;
  end: (owner: string) => Promise<void>;
}>;
