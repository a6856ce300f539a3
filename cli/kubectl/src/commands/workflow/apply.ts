import { dataOf, getAgentManifests, ManifestFiles, putAgentManifests, type AgentManifests } from '@hamlet/contract';
import { manifestsText, readManifests, summaryOfManifests } from '@hamlet/engine/manifests';
import { isDeepStrictEqual } from 'node:util';
import { prettifyError } from 'zod';
import { Failure, type Invocation } from '../../command.ts';
import { printed } from '../../table.ts';
import { withApi } from '../../village-api.ts';
import { manifestsIn, refused, type ManifestTexts } from './manifest-folder.ts';

type Applied = Readonly<{ changed: boolean; manifests: AgentManifests }>;

/** Throws a Failure if the manifests exceed the village's limits. */
function filesOf(dir: string, texts: ManifestTexts): ManifestFiles {
  const files = ManifestFiles.safeParse([...texts].map(([path, text]) => ({ path, text })));
  if (!files.success) throw new Failure(`${dir}: ${prettifyError(files.error)}`, 2);
  return files.data;
}

const byPath = (files: ManifestFiles): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map(({ path, text }) => [path, text]));

/** `workflow apply`: replaces the manifests of an agent with those of a folder, if they are valid and differ. */
export async function apply(invocation: Invocation): Promise<number> {
  const [agent = '', dir = ''] = invocation.names;
  const texts = manifestsIn(dir);
  const read = readManifests(texts);
  if (!read.ok) return refused(invocation, read.errors, { dir, texts });
  const files = filesOf(dir, texts);
  const params = { agent_id: agent };
  const { changed, manifests } = await withApi(invocation, async (api): Promise<Applied> => {
    const before = await dataOf(api.call(getAgentManifests, { params }));
    if (before.problem === null && isDeepStrictEqual(byPath(before.files), byPath(files)))
      return { changed: false, manifests: before };
    const query = invocation.flags['force-conflicts'] === true ? { on_conflict: 'take_over' as const } : {};
    const put = { params, query, body: { files, version: before.version } };
    return { changed: true, manifests: await dataOf(api.call(putAgentManifests, put)) };
  });
  const { config_map_name: map, problem } = manifests;
  printed(invocation, { agent, changed, config_map_name: map, problem }, () => [
    manifestsText(summaryOfManifests(read.value)),
    changed
      ? `${agent} has it from its next run on, in ConfigMap ${map}`
      : `${agent} has it already, in ConfigMap ${map}`,
    ...(problem === null ? [] : [`! ${problem}`]),
  ]);
  return problem === null ? 0 : 1;
}
