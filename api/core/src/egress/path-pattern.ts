/** The longest path with query that is judged; a longer one is unclear. */
const MAX_TARGET_LENGTH = 8192;
/** Characters that servers read in two ways: an encoded slash, dot, backslash, percent or NUL, and a plain backslash. */
const AMBIGUOUS = /%(2f|2e|5c|25|00)|\\|\/\/|;/i;
const DOTS = /(^|\/)\.{1,2}(\/|$)/;

/**
 * The path of a request target without its query, or null where the server behind it could read another path than
 * the one that was judged.
 */
export function clearPath(target: string): string | null {
  if (target.length > MAX_TARGET_LENGTH || !target.startsWith('/')) return null;
  const path = target.split(/[?#]/, 1)[0] ?? '';
  return AMBIGUOUS.test(path) || DOTS.test(path) ? null : path;
}

/** Whether a clear path fits a pattern: `*` is one segment, a last `**` any number of them, none too. */
export function fitsPath(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const isOpen = wanted.at(-1) === '**';
  if (isOpen) wanted.pop();
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, at) => (segment === '*' ? given[at] !== '' : segment === given[at]));
}
