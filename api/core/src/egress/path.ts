/** The longest path with query that is judged; a longer one is unclear. */
const MAX_TARGET_LENGTH = 8192;
/** Everything but visible ASCII. Servers cut, decode or refuse it in different ways; a fragment never belongs in a request. */
const INVISIBLE = /[^\x21-\x7e]|#/;
/**
 * Parts of a path that servers read in two ways: an encoded slash, backslash, percent or control character, an encoded
 * unreserved character (RFC 3986 2.3) but `~`, which apt encodes, an incomplete encoding, a plain backslash, an empty segment, and
 * parameters.
 */
const AMBIGUOUS =
  /%(2f|5c|25|[01][0-9a-f]|7f|2d|2e|5f|3[0-9]|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])|%(?![0-9a-f]{2})|\\|\/\/|;/i;
const DOTS = /(^|\/)\.{1,2}(\/|$)/;

/**
 * The decoded path of a request target, without its query; null where the server behind it could read another path than the
 * one that is judged. Each path has one encoding here, so two targets with equal paths are equal but for the encoding of reserved
 * characters.
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

/** Whether a canonical path fits a pattern: `*` is one segment, a last `**` any number of them, none too. */
export function fitsPath(pattern: string, path: string): boolean {
  const wanted = (decoded(pattern) ?? pattern).split('/');
  const given = path.split('/');
  const isOpen = wanted.at(-1) === '**';
  if (isOpen) wanted.pop();
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, at) => (segment === '*' ? given[at] !== '' : segment === given[at]));
}

/** Like `fitsPath` for a denial: many servers ignore case and a last slash, so a denial does too. */
export function fitsDeniedPath(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern, path].map((text) => text.toLowerCase().replace(/(?<=.)\/$/, ''));
  return wanted !== undefined && given !== undefined && fitsPath(wanted, given);
}
