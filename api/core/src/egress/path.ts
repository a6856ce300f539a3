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

/** True if a canonical path matches a pattern: `*` is one segment, a final `**` zero or more. */
export function fitsPath(pattern: string, path: string): boolean {
  const wanted = (decoded(pattern) ?? pattern).split('/');
  const given = path.split('/');
  const isOpen = wanted.at(-1) === '**';
  if (isOpen) wanted.pop();
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, at) => (segment === '*' ? given[at] !== '' : segment === given[at]));
}

/** Like `fitsPath`, for denials: ignores case and a trailing slash, as many servers do. */
export function fitsDeniedPath(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern, path].map((text) => text.toLowerCase().replace(/(?<=.)\/$/, ''));
  return wanted !== undefined && given !== undefined && fitsPath(wanted, given);
}
