import { inTransaction, keepManifests } from '@hamlet/store';
import type { Village } from '../../village.ts';

/** ConfigMaps that are read at once. Each may have a megabyte, of which only the hash stays. */
const AT_ONCE = 8;

/**
 * Keeps the manifests of the agents of a firing as they are now, and returns their hashes by agent; agents whose manifests cannot be
 * used have none. A ConfigMap that several agents name is read once. Throws if the cluster is unreachable: the firing is then repeated.
 */
export async function manifestsOfFiring(
  { db, source, manifestMaps }: Pick<Village, 'db' | 'source' | 'manifestMaps'>,
  agents: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sharing = [
    ...Map.groupBy(new Set(agents), (agentId) => source.get(agentId)?.spec.manifests?.configMapName).entries(),
  ].flatMap(([name, ids]) => (name === undefined ? [] : [ids]));
  const hashes = new Map<string, string>();
  for (let from = 0; from < sharing.length; from += AT_ONCE)
    await Promise.all(
      sharing.slice(from, from + AT_ONCE).map(async (ids) => {
        const read = await manifestMaps.read(ids[0] ?? '');
        if (!read.ok) return;
        // Kept manifests stay for an hour without a run, so the transaction of the firing finds them.
        const hash = await inTransaction(db, (tx) => keepManifests(tx, read.files));
        for (const agentId of ids) hashes.set(agentId, hash);
      }),
    );
  return hashes;
}
