import { isStatus } from '@hamlet/kube';
import type { KubeClient, KubeObject, ResourceType } from '@hamlet/kube';
import type { OnConflict } from '../agents/agent-source.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import { FIELD_MANAGER, otherOwners } from './field-owners.ts';

/** A write that meets another's write looks again so often. */
const WRITE_ATTEMPTS = 5;

/** A change to a spec: the merge patch of it, and the paths that become different; none where it is so already. */
export interface SpecPatch {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly paths: readonly string[];
}

export interface SpecChangePorts {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly namespace: string;
}

/** Who keeps a change from being made without being asked; null where nobody does. Pure. */
export function ownedElsewhere(object: KubeObject, paths: readonly string[]): Refused | null {
  const held = [...otherOwners(object.metadata.managedFields, FIELD_MANAGER, paths)].map(
    ([path, manager]) => `spec.${path} is managed by "${manager}"`,
  );
  return held.length === 0
    ? null
    : refused('field_owned_elsewhere', `${held.join('; ')}. Repeat with on_conflict=take_over to take over`);
}

/**
 * Changes the spec of an object: decides from what the API server holds now, and writes only if it still does. Throws KubeError for what the
 * API server refuses, 404 for an object that is not there.
 */
export async function changeSpec(
  { client, type, namespace }: SpecChangePorts,
  wish: {
    readonly name: string;
    readonly onConflict: OnConflict;
    readonly plan: (object: KubeObject) => SpecPatch | Refused;
  },
): Promise<Outcome<{ readonly object: KubeObject; readonly changed: boolean }>> {
  const { name, onConflict, plan } = wish;
  for (let attempt = 1; ; attempt += 1) {
    const object = await client.get<KubeObject>(type, { namespace, name });
    const planned = plan(object);
    if ('ok' in planned) return planned;
    if (planned.paths.length === 0) return accepted({ object, changed: false });
    const held = onConflict === 'refuse' ? ownedElsewhere(object, planned.paths) : null;
    if (held !== null) return held;
    const { uid, resourceVersion } = object.metadata;
    try {
      const patch = { metadata: { uid, resourceVersion }, spec: planned.spec };
      const query = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' };
      return accepted({
        object: await client.mergePatch<KubeObject>(type, patch, { namespace, name, query }),
        changed: true,
      });
    } catch (error) {
      if (!isStatus(error, 409) || attempt === WRITE_ATTEMPTS) throw error;
    }
  }
}
