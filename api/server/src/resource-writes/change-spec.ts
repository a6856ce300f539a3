import type { Refusal } from '@hamlet/contract';
import { isStatus, KubeError, type KubeClient, type KubeObject, type ResourceType } from '@hamlet/kube';
import type { OnConflict } from '../agents/agent-source.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { serverRefusal } from '../agents/server-refusal.ts';
import { FIELD_MANAGER, otherOwners } from '../agents/field-owners.ts';

const WRITE_ATTEMPTS = 5;

/** A change to a spec: its merge patch, and the paths that it changes. The paths are empty if the spec already has these values. */
export interface SpecPatch {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly paths: readonly string[];
}

/** Turns a refusal of the API server into a reason. Throws UnavailableError if the server is unreachable; rethrows other errors. */
export async function guardWrite<T>(
  reasons: { readonly missing: Refusal; readonly refused: Refusal; readonly exists?: Refusal },
  work: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    const { status, reason, message } = serverRefusal(error);
    if (status === 404) return refused(reasons.missing);
    if (reason === 'AlreadyExists' && reasons.exists !== undefined) return refused(reasons.exists);
    if (status === 422 || status === 400) return { ...refused(reasons.refused, message), ...errorsOf(error) };
    throw error;
  }
}

const MESSAGE_MAX_CHARS = 300;

/** The invalid fields that the API server names. Its messages can quote the whole value first, so the end of a long one is kept. */
function errorsOf(error: unknown): Pick<Refused, 'errors'> {
  const causes = error instanceof KubeError ? error.causes : [];
  if (causes.length === 0) return {};
  return {
    errors: causes.map(({ field, message }) => ({
      path: field,
      message: message.length <= MESSAGE_MAX_CHARS ? message : `…${message.slice(1 - MESSAGE_MAX_CHARS)}`,
    })),
  };
}

function ownedElsewhere(object: KubeObject, paths: readonly string[]): Refused | null {
  const held = [...otherOwners(object.metadata.managedFields, paths)].map(
    ([path, manager]) => `spec.${path} is managed by "${manager}"`,
  );
  return held.length === 0 ? null : refused('field_owned_elsewhere', held.join('; '));
}

/** The part of a query that lets the API server check a write and store nothing. */
export const dryRunQuery = (dryRun: boolean): { readonly dryRun?: 'All' } => (dryRun ? { dryRun: 'All' } : {});

/** The plan gets the version that is written. With `dryRun` the API server checks the write and stores nothing. Throws KubeError if it refuses. */
export async function changeSpec(
  { client, type, namespace }: { readonly client: KubeClient; readonly type: ResourceType; readonly namespace: string },
  wish: {
    readonly name: string;
    readonly onConflict: OnConflict;
    readonly dryRun?: boolean;
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
      const query = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', ...dryRunQuery(wish.dryRun === true) };
      return accepted({
        object: await client.mergePatch<KubeObject>(type, patch, { namespace, name, query }),
        changed: true,
      });
    } catch (error) {
      if (!isStatus(error, 409) || attempt === WRITE_ATTEMPTS) throw error;
    }
  }
}
