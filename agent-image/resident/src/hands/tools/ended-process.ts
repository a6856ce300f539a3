import type { ToolOutcome } from '@hamlet/engine';
import type { HandsEnd } from '../hands-tool.ts';
import type { EndedProcess, OutputStream } from '../process-record.ts';
import { numberOf, shownOutput, textOf } from '../shown-output.ts';
import { failed, okay } from '../../tools/tool-kit.ts';

interface Ran {
  readonly command: string;
  readonly cwd: string;
  readonly seconds: number;
}

export function endOfProcess(record: EndedProcess, ran: Ran): HandsEnd {
  const { exit, stdout, stderr, startedMs, endedMs } = record;
  const duration = Math.max(0, (endedMs ?? startedMs) - startedMs);
  const report = {
    command: ran.command,
    cwd: ran.cwd,
    stdout: textOf(stdout),
    stderr: textOf(stderr),
    bytes: (stdout?.bytes ?? 0) + (stderr?.bytes ?? 0),
    exit: exit.code ?? null,
    duration_ms: duration,
  };
  return { outcome: outcomeOf(record, ran), report };
}

function outcomeOf(record: EndedProcess, { seconds, cwd }: Ran): ToolOutcome {
  const { exit } = record;
  const said = printed(record);
  switch (exit.cause) {
    case 'killed':
      return { kind: 'unknown', text: `The command was ended before it finished.\n${said}` };
    case 'timeout':
      return failed(
        'command_timed_out',
        `The command took longer than ${seconds} s and was ended with all that it started. Give it more timeout_s, or start it with background.\n${said}`,
      );
    case 'oom':
      return failed(
        'command_out_of_memory',
        `The command was ended, because the hands have no memory left. Use less of it: smaller input, fewer processes.\n${said}`,
      );
    case 'full':
      return failed('disk_full', `${exit.note ?? 'The disk of the machine is full. Remove files.'}\n${said}`);
    case 'exit':
      return okay(
        `${exit.note === undefined ? '' : `${exit.note}\n`}${exit.code === undefined ? `Ended by the signal ${exit.signal ?? ''}` : `Exit code ${exit.code}`}, in ${cwd}\n${said}`,
      );
  }
}

/** Both streams for the model. A long one loses its middle, which `read_output` returns. */
function printed({ process, stdout, stderr }: EndedProcess): string {
  const number = numberOf(process);
  const parts = [streamText('stdout', stdout, number), streamText('stderr', stderr, number)].filter(
    (part) => part !== '',
  );
  return parts.join('\n') || 'It printed nothing.';
}

/** Bytes of a stream that the model reads whole. */
const WHOLE_BYTES = 14_000;
/**
 * Characters of a longer stream that the model reads, half of them from the end. Few, because every later request of the run
 * repeats them, and the model asks for the part that it needs.
 */
const LONG_CHARS = 5_000;

function streamText(name: 'stdout' | 'stderr', stream: OutputStream | undefined, process: string): string {
  const chars = (stream?.bytes ?? 0) > WHOLE_BYTES ? LONG_CHARS : WHOLE_BYTES;
  const text = shownOutput(stream, { process, name, chars });
  return text === '' ? '' : `${name}:\n${text}`;
}
