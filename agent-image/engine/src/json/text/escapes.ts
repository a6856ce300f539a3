/** Backslashes in a text that is not quite JSON. */
import { Fault } from './fault.ts';
import type { RepairAction } from '../repair.ts';

const ESCAPE = /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]?))/g;
/** A path in the middle of a text comes first, if the paths of the document have single backslashes. */
const PATH_OR_ESCAPE = new RegExp(`(?<![A-Za-z])[A-Za-z]:(?:\\\\[\\w.$()-]+)+\\\\?|${ESCAPE.source}`, 'g');
const MEANINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '"': '"',
    '“': '"',
    '”': '"',
    "'": "'",
    '`': '`',
    '\\': '\\',
    '/': '/',
    b: '\b',
    f: '\f',
    n: '\n',
    r: '\r',
    t: '\t',
  }),
);
/** Windows paths with single backslashes: `C:\dir`, `\\server\share`. */
const DRIVE = /^[A-Za-z]:\\(?!\\)/;
const SHARE = /^\\\\[\w.$-]+\\(?!\\)/;
/** A drive with a backslash that JSON does not know: the paths of this document have single backslashes. */
const RAW_PATH = /(?<![A-Za-z])[A-Za-z]:(?:\\[\w .$()-]+)*?\\(?:[^"'\\/bfnrtu\s]|u(?![\da-fA-F]{4}))/;

export const hasRawPaths = (text: string): boolean => text.includes(':\\') && RAW_PATH.test(text);
export const isDrive = (raw: string): boolean => DRIVE.test(raw);

export type Escaped = Readonly<{
  /** The text between the quotes. */
  raw: string;
  quote: string;
  hasRawPaths: boolean;
  act: (action: RepairAction) => void;
}>;

/** True if a backslash stands before a character that JSON does not escape. */
function hasUnknownEscape(raw: string, quote: string): boolean {
  for (const [all, unicode, hex, single = ''] of raw.matchAll(ESCAPE))
    if (unicode === undefined && !isHex(hex, quote) && (all === '\\' || !MEANINGS.has(single))) return true;
  return false;
}

/** Only languages with single quotes write `\x41`. */
const isHex = (hex: string | undefined, quote: string): boolean => hex !== undefined && quote === "'";

/** The text that was meant. An unknown escape keeps its backslash. Throws a fault if both readings are likely. */
export function unescaped({ raw, quote, hasRawPaths: arePathsRaw, act }: Escaped): string {
  if (!raw.includes('\\')) return raw;
  const isUnknown = hasUnknownEscape(raw, quote);
  if (isPath(raw, { arePathsRaw, isUnknown })) {
    act('backslashes_kept');
    return raw.slice(0, 2) + raw.slice(2).replaceAll('\\\\', '\\');
  }
  if (isUnknown) act('backslashes_kept');
  if (isUnknown && !/\s/.test(raw) && /\\[nrt]/.test(raw))
    throw new Fault('a text has single backslashes, and some may be escapes; write each backslash twice', raw, 0);
  const pattern = arePathsRaw ? PATH_OR_ESCAPE : ESCAPE;
  return raw.replaceAll(pattern, (...[all, unicode, hex, single]: readonly (string | undefined)[]) =>
    meantByEscape({ all, code: unicode ?? (quote === "'" ? hex : undefined), single }, isUnknown),
  );
}

const isPath = (
  raw: string,
  { arePathsRaw, isUnknown }: Readonly<{ arePathsRaw: boolean; isUnknown: boolean }>,
): boolean => (DRIVE.test(raw) && (arePathsRaw || isUnknown)) || (SHARE.test(raw) && isUnknown);

type Escape = Readonly<Record<'all' | 'code' | 'single', string | undefined>>;

/** `code`: the number of the character in hexadecimal digits. */
function meantByEscape({ all = '', code, single = '' }: Escape, isUnknown: boolean): string {
  if (!all.startsWith('\\')) return all;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  // In a regular expression, `\b` is the edge of a word.
  if (isUnknown && (single === 'b' || single === 'f')) return all;
  return MEANINGS.get(single) ?? all;
}
