import { openShell, readCommandOf, type ParseShell, type ShellReading } from '@hamlet/shell';

export type ReadCommand = (text: string) => Promise<ShellReading>;

/** The reader of shell commands. It loads the grammar with the first command, because a village without hands needs none. */
export function createReadCommand(): ReadCommand {
  let opening: Promise<ParseShell> | null = null;
  return async (text) => {
    opening ??= openShell();
    const parse = await opening.catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return readCommandOf(parse, text);
  };
}
