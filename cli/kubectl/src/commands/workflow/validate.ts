import { manifestsText, readManifests, summaryOfManifests } from '@hamlet/engine/manifests';
import type { Invocation } from '../../command.ts';
import { printed } from '../../table.ts';
import { manifestsIn, refused } from './manifest-folder.ts';

/** `workflow validate`: says what the manifests in a folder describe, or all their errors. */
export async function validate(invocation: Invocation): Promise<number> {
  const [dir = ''] = invocation.names;
  const texts = manifestsIn(dir);
  const read = readManifests(texts);
  if (!read.ok) return refused(invocation, read.errors, { dir, texts });
  const found = summaryOfManifests(read.value);
  printed(invocation, { ok: true, ...found }, () => manifestsText(found));
  return 0;
}
