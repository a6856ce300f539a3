import { openShell, type ParseShell } from './open-shell.ts';
import { readShell, type ShellReading } from './read-shell.ts';

/** The folder of a shell stays between commands, so no reader knows it: only absolute paths can be inside. */
const PLACE = { cwd: '/', inside: ['/workspace', '/tmp'] } as const;
const TOO_DEEP: ShellReading = { classes: ['exec'], commands: [], unclear: ['it is nested too deeply'] };

/** Programs, classes and doubts of a command that an agent may run. Pure; never throws. */
export function readCommandOf(parse: ParseShell, text: string): ShellReading {
  try {
    return readShell(parse, text, PLACE);
  } catch (error) {
    // The reader walks the tree by recursion, and an agent chooses its depth.
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  }
}

/** The classes that a command needs; null until the grammar is loaded. */
export type KnownClasses = (command: string) => readonly string[] | null;

/**
 * Classes of shell commands for callers that cannot wait. The first call loads the grammar, and `onOpen` is called once
 * it is there. A load that fails begins again with the next question.
 */
export function createKnownClasses({
  onOpen,
  onError,
}: {
  readonly onOpen: () => void;
  readonly onError: (error: unknown) => void;
}): KnownClasses {
  let parse: ParseShell | null = null;
  let isOpening = false;
  const open = async (): Promise<void> => {
    try {
      parse = await openShell();
      onOpen();
    } catch (error) {
      onError(error);
    } finally {
      isOpening = false;
    }
  };
  return (command) => {
    if (parse !== null) return readCommandOf(parse, command).classes;
    if (!isOpening) {
      isOpening = true;
      void open();
    }
    return null;
  };
}
