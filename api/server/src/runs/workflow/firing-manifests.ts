import { inTransaction, keepManifests } from '@hamlet/store';
import type { Village } from '../../village.ts';

/** ConfigMaps that are read at once, each of up to 1 MiB in memory. */
const AT_ONCE = 8;

/**
 * Keeps the present manifests of the agents of a firing, and returns their hashes by agent, without agents whose manifests cannot be used.
 * Reads a ConfigMap that several agents name once. Throws if the cluster is unreachable: the operator then repeats the firing.
 */
export async function manifestsOfFiring(
  { db, source, manifestSource }: Pick<Village, 'db' | 'source' | 'manifestSource'>,
  agents: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sharing = [
    ...Map.groupBy(new Set(agents), (agentId) => source.get(agentId)?.spec.manifests?.configMapName).entries(),
  ].flatMap(([name, ids]) => (name === undefined ? [] : [ids]));
  const hashes = new Map<string, string>();
  for (let from = 0; from < sharing.length; from += AT_ONCE)
    await Promise.all(
      sharing.slice(from, from + AT_ONCE).map(async (ids) => {
        const read = await manifestSource.read(ids[0] ?? '');
        if (!read.ok) return;
        // The transaction of the firing still finds them: unused manifests stay for an hour.
        const hash = await inTransaction(db, (tx) => keepManifests(tx, read.data));
        for (const agentId of ids) hashes.set(agentId, hash);
      }),
    );
  return hashes;
}
