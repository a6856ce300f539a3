import { openShell, readShell, type ParseShell, type ShellReading } from '@hamlet/shell';

/** Programs, classes and doubts of a shell command. */
export type ReadCommand = (text: string) => Promise<ShellReading>;

/** The folder of a shell stays between commands, so the API does not know it: only absolute paths can be inside. */
const PLACE = { cwd: '/', inside: ['/workspace', '/tmp'] } as const;
const TOO_DEEP: ShellReading = { classes: ['exec'], commands: [], unclear: ['it is nested too deeply'] };

/** The reader of shell commands. It loads the grammar with the first command: a village without hands needs none. */
export function createReadCommand(): ReadCommand {
  let opening: Promise<ParseShell> | null = null;
  return async (text) => {
    opening ??= openShell();
    const parse = await opening.catch((error: unknown) => {
      opening = null;
      throw error;
    });
    try {
      return readShell(parse, text, PLACE);
    } catch (error) {
      // The reader walks the tree by recursion, and an agent chooses its depth.
      if (error instanceof RangeError) return TOO_DEEP;
      throw error;
    }
  };
}
