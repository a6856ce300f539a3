import { openShell, type ParseShell } from './open-shell.ts';
import { readShell, type ShellReading } from './read-shell.ts';

/** The folder of a shell persists between commands and is unknown here, so only absolute paths can count as inside. */
const PLACE = { cwd: '/', inside: ['/workspace', '/tmp'] } as const;
const TOO_DEEP: ShellReading = { classes: ['exec'], commands: [], unclear: ['it is nested too deeply'] };

/** Reads programs, classes and doubts of an agent's command. Pure; never throws. */
export function readCommandOf(parse: ParseShell, text: string): ShellReading {
  try {
    return readShell(parse, text, PLACE);
  } catch (error) {
    // The reader is recursive, and the agent controls the depth of the tree.
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  }
}

/** The classes that a command needs; null until the grammar is loaded. */
export type KnownClasses = (command: string) => readonly string[] | null;

/**
 * Classes of shell commands for synchronous callers. The first call loads the grammar and calls `onOpen` afterwards.
 * The next call retries a failed load.
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
