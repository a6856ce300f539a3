import { z } from 'zod';
import { shorten } from '@hamlet/core/shorten';
import { compareText } from '@hamlet/core/compare-text';
import { pathIn } from '../files/hands-files.ts';
import { HandsError } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { keptOutput, runProcess } from '../job-process.ts';
import { okay } from '../../tools/tool-kit.ts';

const LIST_MS = 30_000;
const SEARCH_MS = 60_000;
const LISTED_MAX = 500;
const LINE_MAX_CHARS = 400;
/** Output of a search that is read. The lines of a full result have less. */
const FOUND_MAX_BYTES = 512 << 10;
/** Names of the files of a large folder. */
const LISTING_MAX_BYTES = 4 << 20;

export const findTools = (kit: HandsKit) => [
  handsTool(kit, 'list_files', { timeoutMs: LIST_MS, perform: ({ path }, job) => listFiles(path, job) }),
  handsTool(kit, 'search_files', { timeoutMs: SEARCH_MS, perform: searchFiles }),
];

const Listing = z.object({
  entries: z.array(z.object({ name: z.string(), kind: z.string(), size: z.int() })),
  more: z.boolean(),
});

async function listFiles(path: string, { hands, kit }: HandsJob): Promise<HandsEnd> {
  const folder = pathIn(kit.workspace, path);
  const { entries, more } = await hands.ask('fs.list', { root: kit.workspace, path: folder }, Listing);
  const shown = entries.toSorted((a, b) => compareText(a.name, b.name)).slice(0, LISTED_MAX);
  const lines = shown.map(({ name, kind, size }) => (kind === 'file' ? `${name}, ${size} bytes` : `${name} (${kind})`));
  const rest = more || entries.length > shown.length ? '\n[… more are left out: use search_files …]' : '';
  return { outcome: okay(`${folder}:\n${lines.join('\n') || 'It is empty.'}${rest}`), report: { path: folder } };
}

/**
 * `sh -c SCRIPT search ROOT FOLDER PATTERN GLOB CASE LIMIT`: searches the folder, and follows no link out of the root. Uses
 * ripgrep, or grep and find if it is missing.
 */
const SEARCH = `
cd -P -- "$1" && root=$(pwd -P) && cd -P -- "$2" || exit 3
case "$(pwd -P)/" in "$root"/*) ;; *) exit 4 ;; esac
if command -v rg >/dev/null 2>&1; then
  set -- "$3" "$4" "$5" "$6" --no-config --color never --hidden --no-messages --max-columns 400 --max-columns-preview -g '!.git'
  [ -n "$2" ] && set -- "$@" -g "$2"
  [ -n "$3" ] && set -- "$@" -i
  pattern=$1 limit=$4; shift 4
  if [ -n "$pattern" ]; then rg "$@" --line-number --no-heading -e "$pattern" -- . ; else rg "$@" --files . ; fi | head -n "$limit"
elif [ -n "$3" ]; then
  grep -rnIE --exclude-dir=.git \${5:+-i} \${4:+"--include=$4"} -e "$3" -- . 2>/dev/null | head -n "$6" | cut -b 1-2000
else
  find . -name .git -prune -o -type f \${4:+-name "$4"} -print 2>/dev/null | head -n "$6"
fi
`.trim();

type Search = Readonly<{
  pattern?: string | undefined;
  glob?: string | undefined;
  path: string;
  ignore_case: boolean;
  limit: number;
}>;

export interface FoundFiles {
  /** Paths from the folder. */
  readonly paths: readonly string[];
  /** True if there are more than were asked for. */
  readonly isCut: boolean;
}

/** Names of files below a folder, at most `limit`. Rejects with `not_found` if it is not a folder. */
export async function filesBelow(
  job: HandsJob,
  { folder, limit }: { readonly folder: string; readonly limit: number },
): Promise<FoundFiles> {
  const argv = ['sh', '-c', SEARCH, 'search', job.kit.workspace, folder, '', '', '', String(limit + 1)];
  const outputBytes = LISTING_MAX_BYTES;
  const process = await runProcess(job, { argv, timeoutMs: SEARCH_MS, outputBytes });
  if (process.exit.cause !== 'exit')
    throw new HandsError('search_ended', 'Listing the files took too long. Name a smaller folder.');
  refuse(process.exit.code, folder);
  const listed = (await keptOutput(job, process, LISTING_MAX_BYTES)).toString().split('\n');
  const isCut = (process.stdout?.bytes ?? 0) > (process.stdout?.kept ?? 0);
  // After the last line break there is nothing, or a part of a name.
  const paths = listed.slice(0, -1).map((line) => line.replace(/^\.\//, ''));
  return { paths: paths.slice(0, limit), isCut: isCut || paths.length > limit };
}

async function searchFiles(search: Search, job: HandsJob): Promise<HandsEnd> {
  const { kit } = job;
  const { pattern = '', glob = '', path, limit } = search;
  const folder = pathIn(kit.workspace, path);
  const options = [pattern, glob, search.ignore_case ? 'fold' : '', String(limit + 1)];
  const argv = ['sh', '-c', SEARCH, 'search', kit.workspace, folder, ...options];
  const process = await runProcess(job, { argv, timeoutMs: SEARCH_MS });
  const { exit, stdout } = process;
  if (exit.cause !== 'exit') throw new HandsError('search_ended', 'The search took too long. Search a smaller folder.');
  refuse(exit.code, folder);
  const found = await keptOutput(job, process, FOUND_MAX_BYTES);
  const isCut = (stdout?.bytes ?? 0) > found.length;
  return {
    outcome: okay(foundIn(found.toString(), { folder, limit, isCut })),
    report: { path: folder, bytes: found.length },
  };
}

function refuse(code: number | undefined, folder: string): void {
  const refusal = code === undefined ? undefined : REFUSALS.get(code);
  if (refusal !== undefined) throw new HandsError(refusal.code, `${folder} ${refusal.text}`);
}

const REFUSALS: ReadonlyMap<number, { readonly code: string; readonly text: string }> = new Map([
  [3, { code: 'not_found', text: 'is not a folder of the workspace.' }],
  [4, { code: 'outside', text: 'leads out of the workspace. Use shell for it.' }],
]);

type Found = Readonly<{ folder: string; limit: number; isCut: boolean }>;

/** Names are from the workspace, as the other tools take them. */
function foundIn(text: string, { folder, limit, isCut }: Found): string {
  const lines = text.split('\n').filter((line) => line !== '');
  // The rest of the last line is missing.
  if (isCut) lines.pop();
  const from = folder === '.' ? '' : `${folder}/`;
  const shown = lines.slice(0, limit).map((line) =>
    shorten(
      line.replace(/^\.\//, () => from),
      LINE_MAX_CHARS,
    ),
  );
  const rest = isCut || lines.length > limit ? '\n[… more are left out: narrow the search …]' : '';
  return `${shown.join('\n') || 'Nothing was found.'}${rest}`;
}
