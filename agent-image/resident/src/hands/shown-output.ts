import { joinedOutput, type OutputStream } from './process-record.ts';

/** Characters of each stream that the model reads: half of them from the end. */
const SHOWN_CHARS = 14_000;

/** The first and the last 16 KiB of a stream. */
export const textOf = (stream: OutputStream | undefined): string =>
  stream === undefined ? '' : joinedOutput(stream.head, stream.tail ?? Buffer.alloc(0), stream.bytes);

/** The output of a call for the model. The middle of a long one is left out; `read_output` has it under the name of the process. */
export function shownOutput(
  stream: OutputStream | undefined,
  {
    process,
    name,
    chars = SHOWN_CHARS,
  }: { readonly process: string; readonly name: 'stdout' | 'stderr'; readonly chars?: number },
): string {
  const text = textOf(stream);
  if (stream === undefined || text.length <= chars) return text;
  const half = chars / 2;
  const note = `\n[… the middle of ${stream.bytes} bytes is left out: read_output process ${process} stream ${name} …]\n`;
  return `${text.slice(0, half)}${note}${text.slice(-half)}`;
}

/** The number by which a run names a process of one of its calls. */
export const numberOf = (process: string): string => process.slice(process.indexOf('.') + 1);
