import { posix } from 'node:path';
import type { DeliverableKind, DeliveredTable } from '@hamlet/contract';
import { ARTIFACT_MAX_BYTES, SCRIPT_MEDIA_TYPE, TABLE_MEDIA_TYPE } from '@hamlet/contract/resident';
import { artifactNameOf } from '../../artifacts/keep-artifact.ts';
import type { NamedScript } from '../../scripts/read-script.ts';
import { codeOf, failed, okay } from '../../tools/tool-kit.ts';
import { pathIn, readWhole } from '../files/hands-files.ts';
import { HandsError } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { keptOutput, runProcess } from '../job-process.ts';
import type { EndedProcess } from '../process-record.ts';

const DELIVER_MS = 120_000;

export const deliver = (kit: HandsKit) => handsTool(kit, 'deliver', { timeoutMs: DELIVER_MS, perform: handOver });

interface Delivery {
  readonly kind: DeliverableKind;
  readonly path?: string | undefined;
  readonly base: string;
  readonly name?: string | undefined;
  readonly table?: DeliveredTable | undefined;
  readonly script?: NamedScript | undefined;
}

interface Made {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly path?: string;
}

async function handOver(delivery: Delivery, job: HandsJob): Promise<HandsEnd> {
  const { kit, context } = job;
  const { path, bytes: content, ...made } = await madeBy(delivery, job);
  const bytes = new Uint8Array(content);
  const { signal } = context;
  const kept = await kit.keepArtifact(context.run, context.call, {
    ...made,
    bytes,
    deliverable: delivery.kind,
    signal,
  });
  const report = { bytes: bytes.length, ...(path === undefined ? {} : { path }) };
  if (kept.kind === 'refused') return { outcome: failed(codeOf(kept.code), `${kept.detail}.`), report };
  const { artifact_id: id, name, version } = kept.value;
  const which = version !== null && version > 1 ? `, version ${version}` : '';
  const text = `Delivered ${name} (${bytes.length} bytes${which}) as ${id}. People see it on the page of this run and beside your answer.`;
  return { outcome: okay(text), report };
}

function madeBy(delivery: Delivery, job: HandsJob): Promise<Made> {
  switch (delivery.kind) {
    case 'file':
      return fileOf(delivery, job);
    case 'patch':
      return patchOf(delivery, job);
    case 'table':
      return tableOf(delivery);
    case 'script':
      return scriptOf(delivery, job);
  }
}

/** Media type by file extension, for display only: the village serves every file as opaque bytes. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  '.csv': 'text/csv',
  '.diff': 'text/x-diff',
  '.gz': 'application/gzip',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.patch': 'text/x-diff',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.zip': 'application/zip',
};

async function fileOf({ path = '.', name }: Delivery, job: HandsJob): Promise<Made> {
  const file = pathIn(job.kit.workspace, path);
  const bytes = await readWhole(job, file, ARTIFACT_MAX_BYTES);
  if (bytes.length === 0) throw new HandsError('artifact_empty', `${file} is empty. Write it first.`);
  const shown = name ?? artifactNameOf(file, 'file');
  const mediaType = TYPES[posix.extname(shown).toLowerCase()] ?? 'application/octet-stream';
  return { name: shown, mediaType, bytes, path: file };
}

async function patchOf({ path = '.', base, name }: Delivery, job: HandsJob): Promise<Made> {
  const folder = pathIn(job.kit.workspace, path);
  const bytes = await gitPatch(job, { folder, base, maxBytes: ARTIFACT_MAX_BYTES });
  if (bytes.length === 0) throw new HandsError('no_changes', `${folder} has no changes against ${base}.`);
  const shown = name ?? `${artifactNameOf(folder === '.' ? 'changes' : folder, 'changes')}.patch`;
  return { name: shown, mediaType: 'text/x-diff', bytes, path: folder };
}

async function tableOf({ table, name }: Delivery): Promise<Made> {
  const bytes = Buffer.from(JSON.stringify(table));
  return { name: name ?? 'table.json', mediaType: TABLE_MEDIA_TYPE, bytes };
}

/** The text as the village stores it, so that people who read it and agents that adopt it see the code that runs. */
async function scriptOf({ script: named, name }: Delivery, { kit, context }: HandsJob): Promise<Made> {
  if (named === undefined) throw new HandsError('no_such_script', 'Name the script and its version.');
  const found = await kit.readScript(named, context.signal);
  if (found.kind === 'refused') throw new HandsError(codeOf(found.code), `${found.detail}.`);
  const { script, source, parameters } = found.value;
  const shared = {
    name: script.name,
    description: script.description ?? script.name,
    language: script.language,
    source,
    parameters,
  };
  const bytes = Buffer.from(JSON.stringify(shared));
  return { name: name ?? `${script.name}.script.json`, mediaType: SCRIPT_MEDIA_TYPE, bytes };
}

const PATCH_MS = 60_000;

/**
 * `sh -c SCRIPT patch ROOT FOLDER BASE`: all changes of a work tree since a commit as one unified diff, including new files. It
 * changes neither index nor objects of the repository, and starts no diff program that the repository configures.
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
  [3, { code: 'not_found', text: 'is not a folder of the workspace.' }],
  [4, { code: 'outside', text: 'leads out of the workspace. Deliver a repository inside the workspace.' }],
  [5, { code: 'no_repository', text: 'is not in a git repository. Deliver it as a file.' }],
  [6, { code: 'no_such_commit', text: 'has no such commit. Name another base.' }],
]);

interface WantedPatch {
  readonly folder: string;
  readonly base: string;
  readonly maxBytes: number;
}

/** The changes of a repository as a unified diff, at most `maxBytes`. Rejects with `HandsError`. */
async function gitPatch(job: HandsJob, { folder, base, maxBytes }: WantedPatch): Promise<Buffer> {
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
