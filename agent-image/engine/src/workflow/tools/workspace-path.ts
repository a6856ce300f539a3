/** Longest path that a tool takes, in characters. */
export const PATH_MAX_CHARS = 4_096;
const PART_MAX_BYTES = 255;

/** The folders and the name of a path from the root; empty for the root itself. `message`: what is wrong, then the fix. */
type PathParts = Readonly<{ ok: true; parts: readonly string[] }> | Readonly<{ ok: false; message: string }>;

const refused = (message: string): PathParts => ({ ok: false, message });

/**
 * Splits a path of a call. It admits no way up, so that neither a link nor a later join can change where the path leads. The
 * same rules hold on every system: `/` separates folders, and `\` is refused because some systems read it as `/`. Pure.
 */
export function partsOf(path: string): PathParts {
  if (path.length > PATH_MAX_CHARS) return refused(`The path is longer than ${PATH_MAX_CHARS} characters.`);
  if (path.includes('\0')) return refused('The path has a NUL character: leave it out.');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return refused(`${path} is absolute: write the path from the root of the workspace.`);
  if (path.includes('\\')) return refused(`${path} has a backslash: write / between folders.`);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..'))
    return refused(`${path} leads up with "..": write the path from the root of the workspace, without "..".`);
  if (parts.some((part) => Buffer.byteLength(part) > PART_MAX_BYTES))
    return refused(`A name in the path is longer than ${PART_MAX_BYTES} bytes.`);
  return { ok: true, parts };
}
