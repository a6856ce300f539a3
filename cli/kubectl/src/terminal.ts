import { createInterface } from 'node:readline/promises';

export interface Terminal {
  /** True if a person can read questions and type answers. */
  readonly isInteractive: boolean;
  /** A line that the person types; null at the end of input (Ctrl-D, Ctrl-C). */
  ask(question: string): Promise<string | null>;
}

/** The terminal of this process. A question holds stdin only until its answer. */
export function processTerminal(): Terminal {
  return {
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    ask: async (question) => {
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      const closed = Promise.withResolvers<null>();
      lines.once('close', () => closed.resolve(null));
      try {
        return await Promise.race([lines.question(question), closed.promise]);
      } finally {
        lines.close();
      }
    },
  };
}
