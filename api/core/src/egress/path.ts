/** Maximum characters of a path with query; a longer one is unclear. */
const MAX_TARGET_LENGTH = 8192;
/** Everything but visible ASCII, which servers treat differently, and `#`, which never belongs in a request. */
const INVISIBLE = /[^\x21-\x7e]|#/;
/**
 * Parts of a path that servers interpret differently: an encoded slash, backslash, percent or control character, an encoded unreserved
 * character (RFC 3986 2.3) except `~`, which apt encodes, an incomplete encoding, a plain backslash, an empty segment, and parameters.
 */
const AMBIGUOUS =
  /%(2f|5c|25|[01][0-9a-f]|7f|2d|2e|5f|3[0-9]|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])|%(?![0-9a-f]{2})|\\|\/\/|;/i;
const DOTS = /(^|\/)\.{1,2}(\/|$)/;

/**
 * The decoded path of a request target without its query; null if the server could interpret it as a different path.
 * Each path has one encoding here: two targets with equal paths differ only in the encoding of reserved characters.
 */
export function canonicalPath(target: string): string | null {
  if (target.length > MAX_TARGET_LENGTH || !target.startsWith('/') || INVISIBLE.test(target)) return null;
  const path = target.split('?', 1)[0] ?? '';
  if (AMBIGUOUS.test(path) || DOTS.test(path)) return null;
  return decoded(path);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

type Segments = readonly { readonly text: string; readonly isWild: boolean }[];

/** The segments of a pattern, decoded one by one: an encoded `*` is a literal one. */
const segmentsOf = (pattern: string, fold: (text: string) => string): Segments =>
  pattern.split('/').map((text) => ({ text: fold(decoded(text) ?? text), isWild: text === '*' }));

function fits(pattern: string, path: string, fold: (text: string) => string): boolean {
  const isOpen = pattern.endsWith('/**');
  const wanted = segmentsOf(isOpen ? pattern.slice(0, -'/**'.length) : pattern, fold);
  const given = path.split('/').map(fold);
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every(({ text, isWild }, at) => (isWild ? given[at] !== '' : text === given[at]));
}

/** True if a canonical path matches a pattern: `*` is one segment, a final `**` zero or more. */
export const fitsPath = (pattern: string, path: string): boolean => fits(pattern, path, (text) => text);

/** Servers ignore case, forms of Unicode, and dots and spaces at the end of a name. */
const foldName = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[. ]+$/, '');

/** Like `fitsPath`, for denials: ignores the differences that some servers ignore, and a trailing slash. */
export const fitsDeniedPath = (pattern: string, path: string): boolean =>
  fits(pattern.replace(/(?<=.)\/$/, ''), path.replace(/(?<=.)\/$/, ''), foldName);
