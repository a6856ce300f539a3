import { readCommandLine, type CommandLine } from './command-line.ts';
import { graphCommand, validateCommand } from './plan-commands.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

type Command = Extract<CommandLine, { kind: 'command' }>;

/** Carries out a command line, and resolves with its exit code. Rejects only because of a bug or a machine that fails. */
export async function performCommand(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const line = readCommandLine(args);
  switch (line.kind) {
    case 'help':
      terminal.out(line.text);
      return EXIT.done;
    case 'wrong':
      terminal.err(`${line.message}\n`);
      return EXIT.wrong;
    case 'command':
      return perform(line, terminal);
    default:
      return line satisfies never;
  }
}

function perform(command: Command, terminal: Terminal): Promise<ExitCode> {
  switch (command.name) {
    case 'validate':
      return validateCommand(command, terminal);
    case 'graph':
      return graphCommand(command, terminal);
    case 'run':
    case 'resume':
    case 'rerun':
    case 'inspect':
    case 'cancel':
      return performTask(command, command.name, terminal);
    default:
      return command.name satisfies never;
  }
}

type TaskCommand = 'run' | 'resume' | 'rerun' | 'inspect' | 'cancel';

/** Only these commands load the engine. */
async function performTask(command: Command, name: TaskCommand, terminal: Terminal): Promise<ExitCode> {
  const { TASK_COMMANDS } = await import('./task-commands.ts');
  return TASK_COMMANDS[name](command, terminal);
}
