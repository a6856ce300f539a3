import type { ParseArgsConfig } from 'node:util';
import type { Kubectl } from './kubectl.ts';

export type Options = NonNullable<ParseArgsConfig['options']>;

/** One call of a command, read. */
export interface Invocation {
  readonly names: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly json: boolean;
  readonly kubectl: Kubectl;
  /** Writes a line for the person, or for the next program. */
  readonly print: (line: string) => void;
  readonly environment: NodeJS.ProcessEnv;
  readonly nowMs: number;
}

/** One command of the plugin. */
export interface Command {
  readonly name: string;
  /** What follows the name. */
  readonly usage: string;
  readonly summary: string;
  /** What more `--help` says. */
  readonly details: string;
  readonly options: Options;
  /** How many names it takes. */
  readonly names: readonly [least: number, most: number];
  /** The exit code. */
  run(invocation: Invocation): Promise<number>;
}
