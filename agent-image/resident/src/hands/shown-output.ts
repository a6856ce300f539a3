import { withoutMiddle } from '@hamlet/engine';
import { withRealAddresses } from './package-environment.ts';
import { joinedOutput, type OutputStream } from './process-record.ts';

/** Maximum characters of each stream that the model reads; half of them are from the end. */
const SHOWN_CHARS = 14_000;

export const textOf = (stream: OutputStream | undefined): string =>
  stream === undefined
    ? ''
    : withRealAddresses(joinedOutput(stream.head, stream.tail ?? Buffer.alloc(0), stream.bytes));

/** The output of a call for the model. A long one loses its middle, which `read_output` returns by the name of the process. */
export function shownOutput(
  stream: OutputStream | undefined,
  {
    process,
    name,
    chars = SHOWN_CHARS,
  }: { readonly process: string; readonly name: 'stdout' | 'stderr'; readonly chars?: number },
): string {
  const rest = `the middle of ${stream?.bytes ?? 0} bytes is left out: read_output process ${process} stream ${name}`;
  return withoutMiddle(textOf(stream), chars, () => rest);
}

/** The number by which a run refers to a process of one of its calls. */
export const numberOf = (process: string): string => process.slice(process.indexOf('.') + 1);
