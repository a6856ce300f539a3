import type { ParseArgsConfig } from 'node:util';
import type { Kubectl } from './kubectl.ts';
import type { Terminal } from './terminal.ts';

export type Options = NonNullable<ParseArgsConfig['options']>;

/** The value of a flag: a list if the flag may be repeated. */
export type FlagValue = string | boolean | readonly string[] | undefined;

export interface Invocation {
  readonly names: readonly string[];
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly json: boolean;
  readonly kubectl: Kubectl;
  readonly print: (line: string) => void;
  /** Prints text without ending the line. */
  readonly write: (text: string) => void;
  /** Prints a line of progress for people, apart from the result. */
  readonly note: (line: string) => void;
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  readonly nowMs: number;
}

export interface Command {
  /** One word, or a group and a verb: `workflow run`. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly details: string;
  readonly options: Options;
  readonly names: readonly [least: number, most: number];
  run(invocation: Invocation): Promise<number>;
}

/** An error that the user can act on. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** 1: the command failed, or its answer is no. 2: the command line is invalid. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
