/** The places of the sources that a test executed, from the files that V8 writes to `NODE_V8_COVERAGE`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Stretch {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Stretch[] }[];
  }[];
}

/** True if a place of a source was executed. Node replaces types with blanks, so V8's offsets are those of the source. */
export type Coverage = (source: string, at: number) => boolean;

/**
 * The coverage of all processes that wrote to the folder `reports`.
 * @param root the folder that the names of sources are relative to
 */
export function coverageIn(reports: string, root: string): Coverage {
  const found = new Map<string, Stretch[][]>();
  for (const file of globSync('*.json', { cwd: reports })) {
    const { result } = JSON.parse(readFileSync(join(reports, file), 'utf8')) as Report;
    for (const { url, functions } of result) {
      const [plain = ''] = url.split('?');
      found.set(plain, [...(found.get(plain) ?? []), functions.flatMap(({ ranges }) => ranges)]);
    }
  }
  return (source, at) =>
    (found.get(pathToFileURL(join(root, source)).href) ?? []).some((stretches) => isRunAt(stretches, at));
}

/** The innermost range that contains the place decides. */
function isRunAt(stretches: readonly Stretch[], at: number): boolean {
  const around = stretches.filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset);
  const [innermost] = around.toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
  return (innermost?.count ?? 0) > 0;
}
