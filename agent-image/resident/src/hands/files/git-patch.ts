import { HandsError } from '../hands-client.ts';
import type { HandsJob } from '../hands-tool.ts';
import { keptOutput, runProcess } from '../job-process.ts';
import type { EndedProcess } from '../process-record.ts';

const PATCH_MS = 60_000;

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
  const argv = ['sh', '-c', SCRIPT, 'patch', job.kit.workspace, folder, base];
  const ended = await runProcess(job, { argv, timeoutMs: PATCH_MS, outputBytes: maxBytes });
  refuseFailed(ended, folder);
  if (ended.stdout === undefined) return Buffer.alloc(0);
  const { bytes, kept } = ended.stdout;
  if (bytes > Math.min(kept, maxBytes))
    throw new HandsError('artifact_too_large', `The patch has ${bytes} bytes: deliver less of it.`);
  const patch = await keptOutput(job, ended, bytes);
  if (patch.length < bytes)
    throw new HandsError('forgotten', 'The hands no longer have the whole patch. Deliver it again.');
  return patch;
}

function refuseFailed({ exit, stderr }: EndedProcess, folder: string): void {
  if (exit.cause !== 'exit')
    throw new HandsError('patch_ended', 'git diff took too long. Deliver a smaller repository.');
  if (exit.code === 0) return;
  const refusal = exit.code === undefined ? undefined : REFUSALS.get(exit.code);
  if (refusal !== undefined) throw new HandsError(refusal.code, `${folder} ${refusal.text}`);
  throw new HandsError('git_failed', `git failed: ${stderr?.head.toString().slice(0, 500) ?? ''}`);
}
