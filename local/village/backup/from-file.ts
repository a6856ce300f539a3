import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { Failure } from '../failure.ts';
import { kubectl, type Place } from '../kubectl.ts';
import { replaceKey, replaceLog } from './log-volume.ts';
import { checkParts, MANIFEST, PARTS } from './manifest.ts';
import type { Replacement } from './replacement.ts';
import { missingFrom, RESOURCE_KINDS, type ResourceList } from './resources.ts';

export const FILE_FIX = 'make restore FILE=path, as make backup printed it';

/** Unpacks a file of `make backup` into the folder, and checks it. */
export async function fromFile(place: Place, file: string, folder: string): Promise<Replacement> {
  await run(
    'tar',
    ['--extract', '--file', file, '--directory', folder, '--no-same-owner', MANIFEST, ...Object.values(PARTS)],
    { fix: 'use a file that make backup wrote: this file is not a backup, or incomplete; nothing was changed' },
  );
  const manifest = await checkParts(folder, readFileSync(join(folder, MANIFEST), 'utf8'));
  const { namespace, madeAt, hamlet } = manifest;
  if (namespace !== place.namespace)
    throw new Failure(
      `the backup is of namespace ${namespace}, whose name is part of its sealed log; nothing was changed`,
      `NAMESPACE=${namespace} make restore FILE=…`,
    );
  return {
    ...manifest,
    title: `The backup:  of ${madeAt}, Hamlet ${hamlet}, ${manifest.postgres}`,
    moment: madeAt,
    folder,
    others: [
      { name: 'sealed log', work: async ({ doing }) => replaceLog(place, join(folder, PARTS.log), doing) },
      {
        name: 'key of the log',
        work: async () =>
          (await replaceKey(place, readFileSync(join(folder, PARTS.key), 'utf8'))) ? 'replaced' : 'unchanged',
      },
      { name: 'custom resources', work: async () => applyMissing(place, join(folder, PARTS.resources)) },
    ],
    detail: { backup: madeAt, sealed: manifest.sealed },
  };
}

/** Creates the resources that the cluster does not have; the others are newer than the backup. */
async function applyMissing(place: Place, file: string): Promise<string> {
  const list = JSON.parse(readFileSync(file, 'utf8')) as ResourceList;
  const there = JSON.parse(await kubectl(place, ['get', RESOURCE_KINDS.join(','), '-o', 'json'])) as ResourceList;
  const missing = missingFrom(list, there);
  if (missing.items.length > 0) await kubectl(place, ['create', '-f', '-'], { input: JSON.stringify(missing) });
  return `${missing.items.length} created, ${list.items.length - missing.items.length} exist and stay unchanged`;
}
