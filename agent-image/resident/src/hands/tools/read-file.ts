import { firstChars, type OutcomeImage, type ToolOutcome } from '@hamlet/engine';
import { IMAGE_MAX_BYTES, imageTypeOf } from '../files/image-type.ts';
import { pathIn, readContent, readPart, readWhole, type FileContent } from '../files/hands-files.ts';
import { numbered } from '../files/nearest-match.ts';
import { codecOf, styleInWords, styleOf, withoutMark, type TextCodec } from '../files/text-codec.ts';
import type { HandsEnd, HandsJob } from '../hands-tool.ts';
import { okay } from '../../tools/tool-kit.ts';

/** Maximum characters of one result, if the model's context has room for them. */
const SHOWN_MAX_CHARS = 30_000;
const LINE_MAX_CHARS = 2_000;
/** Maximum bytes of a large file that are searched for its first line, and read from there. */
const SCANNED_MAX_BYTES = 32 << 20;
const KEPT_MAX_BYTES = 512 << 10;
/** Line breaks by bytes per character. In UTF-16 they begin at even positions. */
const LINE_ENDS = { 1: Buffer.from('\n'), 2: Buffer.from('\n', 'utf16le') } as const;
type Width = keyof typeof LINE_ENDS;
const SHOWN_BYTES = 16;

type Reading = Readonly<{ path: string; first_line: number; lines: number }>;

/** Reads a file for the model: numbered lines of a text, an image, or what is known about other bytes. */
export async function readFile({ path, first_line: first, lines: count }: Reading, job: HandsJob): Promise<HandsEnd> {
  const file = pathIn(job.kit.workspace, path);
  const head = await readContent(job, file);
  const report = { path: file, bytes: head.data.length };
  const type = imageTypeOf(head.data);
  if (type !== null) return { outcome: await imageIn(job, { file, type, size: head.size }), report };
  const codec = codecOf(wholeLines(head, widthOf(codecOf(head.data.subarray(0, 2)))));
  if (codec === null) return { outcome: okay(notText(file, head)), report };
  if (head.size === 0) return { outcome: okay(`${file} is empty.`), report };
  const part = await partFrom(job, { file, head, codec, first });
  const room = Math.min(SHOWN_MAX_CHARS, job.context.roomChars ?? SHOWN_MAX_CHARS);
  return { outcome: okay(shownLines({ file, codec, first, count, room, size: head.size }, part)), report };
}

async function imageIn(
  job: HandsJob,
  { file, type, size }: { readonly file: string; readonly type: OutcomeImage['mediaType']; readonly size: number },
): Promise<ToolOutcome> {
  if (size > IMAGE_MAX_BYTES)
    return okay(
      `${file} is an image (${type}) of ${size} bytes; you can see at most ${IMAGE_MAX_BYTES}: make it smaller with shell.`,
    );
  const data = await readWhole(job, file, IMAGE_MAX_BYTES);
  return {
    kind: 'ok',
    text: `${file}: ${type}, ${size} bytes.`,
    images: [{ mediaType: type, data: data.toString('base64') }],
  };
}

const notText = (file: string, { data, size, sha256 }: FileContent): string =>
  `${file} is not text: ${size} bytes, sha256 ${sha256}. It begins with the bytes ${data.subarray(0, SHOWN_BYTES).toString('hex')}. Use shell for it.`;

/** Two bytes suffice to see the mark of UTF-16. */
const widthOf = (codec: TextCodec | null): Width => (codec?.name === 'UTF-16' ? 2 : 1);

/**
 * The content up to its last line break if the rest of the file is missing, because that rest may begin within a
 * character.
 */
function wholeLines({ data, size }: Pick<FileContent, 'data' | 'size'>, width: Width): Buffer {
  if (data.length === size) return data;
  let at = data.lastIndexOf(LINE_ENDS[width]);
  while (at > 0 && at % width !== 0) at = data.lastIndexOf(LINE_ENDS[width], at - 1);
  return at < 0 || at % width !== 0 ? data : data.subarray(0, at + width);
}

interface Part {
  /** The text from the wanted line on. */
  readonly text: string;
  /** The number of its first line. */
  readonly line: number;
  readonly reachesEnd: boolean;
}

interface Place {
  readonly file: string;
  readonly head: FileContent;
  readonly codec: TextCodec;
  readonly first: number;
}

/** The whole text of a file that fits in one part; of a larger one, the text from the wanted line on. */
async function partFrom(job: HandsJob, { file, head, codec, first }: Place): Promise<Part> {
  const { size } = head;
  const width = widthOf(codec);
  if (head.data.length === size) return { text: codec.decode(head.data), line: 1, reachesEnd: true };
  const kept: Buffer[] = [];
  let [line, bytes, offset, { data }] = [1, 0, 0, head];
  while (data.length > 0) {
    const { from, reached } = afterLines(data, first - line, width);
    line += reached;
    if (line === first) {
      kept.push(data.subarray(from));
      bytes += data.length - from;
    }
    offset += data.length;
    if (bytes >= KEPT_MAX_BYTES || offset >= Math.min(size, SCANNED_MAX_BYTES)) break;
    data = await readPart(job, file, offset);
  }
  const reachesEnd = offset >= size;
  const whole = Buffer.concat(kept);
  return {
    text: codec.decode(wholeLines({ data: whole, size: reachesEnd ? whole.length : size }, width)),
    line,
    reachesEnd,
  };
}

/** The position after a number of line breaks in a part, and how many of them it has. */
function afterLines(data: Buffer, wanted: number, width: Width): { readonly from: number; readonly reached: number } {
  let [from, reached, at] = [0, 0, -1];
  while (reached < wanted) {
    at = data.indexOf(LINE_ENDS[width], at + 1);
    if (at < 0) return { from: data.length, reached };
    if (at % width !== 0) continue;
    from = at + width;
    reached += 1;
  }
  return { from, reached };
}

interface Shown {
  readonly file: string;
  readonly codec: TextCodec;
  readonly first: number;
  readonly count: number;
  readonly room: number;
  readonly size: number;
}

function shownLines({ file, codec, first, count, room, size }: Shown, { text, line, reachesEnd }: Part): string {
  const lines = withoutMark(text).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const end = line + lines.length - 1;
  if (first > end)
    return reachesEnd
      ? `${file} has ${end} lines.`
      : `${file} has ${size} bytes; line ${first} is too far in it. Use shell.`;
  const wanted = lines.slice(first - line, first - line + count);
  const shown = numberedWithin(wanted, first, room);
  const last = first + shown.length - 1;
  const next = last < end || !reachesEnd ? `\n[… read on with first_line ${last + 1} …]` : '';
  const style = styleInWords(styleOf(codec, text));
  const of = reachesEnd ? `of ${end}` : `of a file of ${size} bytes`;
  const head = `${file}: lines ${first} to ${last} ${of}${style === '' ? '' : `, ${style}`}`;
  return `${head}\n${shown.join('\n')}${next}`;
}

/** The first lines that fit into the room, with their numbers; at least one. */
function numberedWithin(lines: readonly string[], first: number, room: number): readonly string[] {
  const shown: string[] = [];
  let left = room;
  for (const [index, each] of lines.entries()) {
    const row = numbered(first + index, shortLine(each, Math.min(LINE_MAX_CHARS, room)));
    left -= row.length + 1;
    if (left < 0 && shown.length > 0) break;
    shown.push(row);
  }
  return shown;
}

function shortLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const head = firstChars(line, maxChars);
  return `${head} [… ${line.length - head.length} more characters of this line: use shell …]`;
}
