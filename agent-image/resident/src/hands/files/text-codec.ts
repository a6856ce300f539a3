import { isUtf8 } from 'node:buffer';

/** The encoding of a text file. `encode(decode(bytes))` equals `bytes`. */
export interface TextCodec {
  readonly name: 'UTF-8' | 'UTF-16' | 'Windows-1252';
  decode(data: Buffer): string;
  /** Null if the encoding lacks a character of the text. */
  encode(text: string): Buffer | null;
}

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
/** The characters of Windows-1252, which contains Latin-1. The five bytes without a character stand for control characters. */
const CHARS: readonly string[] = [...new TextDecoder('windows-1252').decode(BYTES)];
const BYTE_OF: ReadonlyMap<string, number> = new Map(CHARS.map((char, byte) => [char, byte]));

export const UTF_8: TextCodec = {
  name: 'UTF-8',
  decode: (data) => data.toString(),
  encode: (text) => utf8Bytes(text),
};

const utf8Bytes = (text: string): Buffer => Buffer.from(text.toWellFormed());

const UTF_16: TextCodec = {
  name: 'UTF-16',
  decode: (data) => data.toString('utf16le'),
  encode: (text) => Buffer.from(text, 'utf16le'),
};

const WINDOWS_1252: TextCodec = {
  name: 'Windows-1252',
  decode: (data) => Array.from(data, (byte) => CHARS[byte]).join(''),
  encode: (text) => {
    const bytes = Array.from(text, (char) => BYTE_OF.get(char) ?? -1);
    return bytes.includes(-1) ? null : Buffer.from(bytes);
  },
};

const MARK = '\uFEFF';
const UTF_16_MARK = Buffer.from(MARK, 'utf16le');

/** The encoding of a text file; null for bytes that are not text. A file that is not UTF-8 counts as Windows-1252. Pure. */
export function codecOf(data: Buffer): TextCodec | null {
  if (data.length % 2 === 0 && data.subarray(0, UTF_16_MARK.length).equals(UTF_16_MARK)) return UTF_16;
  if (data.includes(0)) return null;
  return isUtf8(data) ? UTF_8 : WINDOWS_1252;
}

const hasMark = (text: string): boolean => text.startsWith(MARK);
export const withoutMark = (text: string): string => (hasMark(text) ? text.slice(MARK.length) : text);

/** True if most line endings of the text are CRLF. */
export function isCrlf(text: string): boolean {
  const crlf = text.split('\r\n').length - 1;
  return crlf > 0 && crlf * 2 > text.split('\n').length - 1;
}

export const toCrlf = (text: string): string => text.replaceAll(/\r?\n/g, '\r\n');
export const toLf = (text: string): string => text.replaceAll('\r\n', '\n');

export interface TextStyle {
  /** Null for UTF-8. */
  readonly encoding: TextCodec['name'] | null;
  readonly isCrlf: boolean;
  readonly hasMark: boolean;
}

/** The style in words, for example `Windows-1252, CRLF line endings`; empty for plain UTF-8 with LF. */
export const styleInWords = ({ encoding, isCrlf: crlf, hasMark: mark }: TextStyle): string =>
  [encoding ?? '', crlf ? 'CRLF line endings' : '', mark ? 'byte order mark' : '']
    .filter((word) => word !== '')
    .join(', ');

export const styleOf = (codec: TextCodec, text: string): TextStyle => ({
  encoding: codec === UTF_8 ? null : codec.name,
  isCrlf: isCrlf(text),
  hasMark: hasMark(text),
});

/** Encodes new content in the style of the file. `note` names the parts of the style that the content lacked. Pure. */
export function inStyleOf(before: Buffer | null, content: string): { readonly data: Buffer; readonly note: string } {
  const codec = before === null || before.length === 0 ? null : codecOf(before);
  if (before === null || codec === null) return { data: utf8Bytes(content), note: '' };
  const { text, kept } = withStyle(content, styleOf(codec, codec.decode(before)));
  const data = codec.encode(text);
  const words = styleInWords(data === null ? { ...kept, encoding: null } : kept);
  const note = words === '' ? '' : ` The file keeps its style: ${words}.`;
  if (data !== null) return { data, note };
  const why = ` It is UTF-8 now, because ${codec.name} lacks one of its characters.`;
  return { data: utf8Bytes(text), note: `${note}${why}` };
}

/** The content with the line endings and the mark of a style, unless it has its own. */
function withStyle(content: string, style: TextStyle): { readonly text: string; readonly kept: TextStyle } {
  const hasEnds = content.includes('\r\n') || !content.includes('\n');
  const kept = { ...style, isCrlf: style.isCrlf && !hasEnds, hasMark: style.hasMark && !hasMark(content) };
  return { text: `${kept.hasMark ? MARK : ''}${kept.isCrlf ? toCrlf(content) : content}`, kept };
}
