import { HandsError } from '../hands-client.ts';
import type { HandsJob } from '../hands-tool.ts';
import { type EndedProcess, OutputPart } from '../process-record.ts';
import { processIdOf, startProcess, untilEnded } from '../start-process.ts';

const PATCH_MS = 60_000;
const PART_BYTES = 512 << 10;

/**
 * `sh -c SCRIPT patch ROOT FOLDER BASE`: all changes of a work tree against a commit as one unified diff, new files included. It changes
 * neither index nor objects of the repository, and starts no diff program that the repository names.
 */
const SCRIPT = `
cd -P -- "$1" && root=$(pwd -P) && cd -P -- "$2" || exit 3
case "$(pwd -P)/" in "$root"/*) ;; *) exit 4 ;; esac
top=$(git rev-parse --show-toplevel 2>/dev/null) && cd -P -- "$top" || exit 5
case "$(pwd -P)/" in "$root"/*) ;; *) exit 4 ;; esac
base=$(git rev-parse --verify --quiet --end-of-options "$3^{commit}") || exit 6
GIT_INDEX_FILE=$(mktemp) && export GIT_INDEX_FILE || exit 7
trap 'rm -f "$GIT_INDEX_FILE"' EXIT
git -c core.fsmonitor=false read-tree "$base" || exit 8
git -c core.fsmonitor=false add --intent-to-add --all . || exit 8
git -c core.fsmonitor=false -c core.quotePath=true diff --no-ext-diff --no-textconv --no-color --binary --find-renames "$base" --
`.trim();

/** Exit codes of the script. */
const REFUSALS: ReadonlyMap<number, { readonly code: string; readonly text: string }> = new Map([
  [3, { code: 'not_found', text: 'is no folder of the workspace.' }],
  [4, { code: 'outside', text: 'leads out of the workspace. Deliver a repository that lies in it.' }],
  [5, { code: 'no_repository', text: 'is in no git repository. Deliver it as a file.' }],
  [6, { code: 'no_such_commit', text: 'has no commit of that name. Name another base.' }],
]);

export interface WantedPatch {
  readonly folder: string;
  readonly base: string;
  readonly maxBytes: number;
}

/** The changes of a repository as a unified diff, at most `maxBytes`. Rejects with `HandsError`. */
export async function gitPatch(job: HandsJob, { folder, base, maxBytes }: WantedPatch): Promise<Buffer> {
  const { hands, kit, context } = job;
  const place = { run: context.run, call: context.call };
  const id = processIdOf(place);
  const argv = ['sh', '-c', SCRIPT, 'patch', kit.workspace, folder, base];
  const limits = { timeoutMs: PATCH_MS, outputBytes: maxBytes };
  await startProcess(hands, { id, place, argv, cwd: kit.workspace, limits }, kit.environmentOf);
  const ended = await untilEnded(hands, id, context.signal);
  refuseFailed(ended, folder);
  if (ended.stdout === undefined) return Buffer.alloc(0);
  const { bytes, kept } = ended.stdout;
  if (bytes > Math.min(kept, maxBytes))
    throw new HandsError('artifact_too_large', `The patch has ${bytes} bytes: deliver less of it.`);
  return readKept(job, { id, bytes });
}

function refuseFailed({ exit, stderr }: EndedProcess, folder: string): void {
  if (exit.cause !== 'exit')
    throw new HandsError('patch_ended', 'git diff took too long. Deliver a smaller repository.');
  if (exit.code === 0) return;
  const refusal = exit.code === undefined ? undefined : REFUSALS.get(exit.code);
  if (refusal !== undefined) throw new HandsError(refusal.code, `${folder} ${refusal.text}`);
  throw new HandsError('git_failed', `git failed: ${stderr?.head.toString().slice(0, 500) ?? ''}`);
}

async function readKept({ hands }: HandsJob, { id, bytes }: { readonly id: string; readonly bytes: number }) {
  const parts: Buffer[] = [];
  for (let offset = 0; offset < bytes;) {
    const args = { process: id, stream: 'stdout', offset, bytes: PART_BYTES, waitMs: 0 };
    const { data } = await hands.ask('read', args, OutputPart);
    if (data.length === 0)
      throw new HandsError('forgotten', 'The hands no longer have the whole patch. Deliver it again.');
    parts.push(data);
    offset += data.length;
  }
  return Buffer.concat(parts);
}
