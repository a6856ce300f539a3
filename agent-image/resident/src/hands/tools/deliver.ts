import { posix } from 'node:path';
import type { DeliveredTable, DeliverableKind } from '@hamlet/contract';
import { ARTIFACT_MAX_BYTES, SCRIPT_MEDIA_TYPE, TABLE_MEDIA_TYPE } from '@hamlet/contract/resident';
import { artifactNameOf } from '../../artifacts/keep-artifact.ts';
import type { NamedScript } from '../../scripts/read-script.ts';
import { codeOf, failed, okay } from '../../tools/tool-kit.ts';
import { gitPatch } from '../files/git-patch.ts';
import { pathIn, readWhole } from '../files/hands-files.ts';
import { HandsError } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';

const DELIVER_MS = 120_000;

/** The tool that hands a file, a patch or a table to the people of the run. */
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
  const { artifact_id: id, name } = kept.value;
  const text = `Delivered ${name} (${bytes.length} bytes) as ${id}. People see it on the page of this run and beside your answer.`;
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

/** By the ending of the name; for people, since the village serves every file as opaque bytes. */
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

/** The text as the village has it, so that a reader of the deliverable and an agent that adopts it see what runs. */
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
