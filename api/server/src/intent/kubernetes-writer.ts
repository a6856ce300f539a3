import { API_VERSION } from '@hamlet/contract';
import type { Refusal } from '@hamlet/contract';
import { isStatus, KubeError } from '@hamlet/kube';
import type { KubeClient, KubeObject } from '@hamlet/kube';
import type { EntitlementRecord } from '../agents/agent-source.ts';
import { AGENTS, ENTITLEMENTS, entitlementOf, etagOf, recordOf } from '../agents/kubernetes-watch.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import { UnavailableError } from '../http/respond.ts';
import { changeSpec } from './change-spec.ts';
import type { SpecPatch } from './change-spec.ts';
import { entitlementSpecOf } from './entitlement-spec.ts';
import { FIELD_MANAGER } from './field-owners.ts';
import { differenceOf, fieldsOf, nestedOf } from './spec-fields.ts';
import type { SpecFields } from './spec-fields.ts';
import type { SpecWriter, Written } from './spec-writer.ts';

function specOf(object: KubeObject): unknown {
  return (object as KubeObject & { readonly spec?: unknown }).spec;
}

function patchTo(before: SpecFields, wanted: SpecFields): SpecPatch {
  const difference = differenceOf(before, wanted);
  return { spec: nestedOf(difference), paths: [...difference.keys()] };
}

function written<R>(
  record: R,
  { metadata: { uid, generation = 0 } }: KubeObject,
  changed: boolean,
): Outcome<Written<R>> {
  return accepted({ record, uid, generation, changed });
}

/** What the API server says against a write, in its own words; anything else is its absence. */
async function guarded<T>(
  reasons: { readonly missing: Refusal; readonly refused: Refusal },
  work: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KubeError) || error.status === 429 || error.status >= 500) {
      throw new UnavailableError('The Kubernetes API cannot be reached right now; try again', { cause: error });
    }
    if (error.status === 404) return refused(reasons.missing);
    if (error.status === 422 || error.status === 400) return refused(reasons.refused, error.message);
    throw error;
  }
}

/** Writes tiers, and which tier an agent is pinned to, to the custom resources of the namespace. */
export function createKubernetesWriter({
  client,
  namespace,
}: {
  readonly client: KubeClient;
  readonly namespace: string;
}): SpecWriter {
  async function create(
    name: string,
    spec: Readonly<Record<string, unknown>>,
  ): Promise<Outcome<Written<EntitlementRecord>> | null> {
    try {
      const object = { apiVersion: API_VERSION, kind: 'Entitlement', metadata: { name, namespace }, spec };
      const made = await client.create<KubeObject>(ENTITLEMENTS, object, {
        namespace,
        query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' },
      });
      return written(entitlementOf(made), made, true);
    } catch (error) {
      // Made by somebody else this instant: then it is there to be changed.
      if (isStatus(error, 409)) return null;
      throw error;
    }
  }

  const putEntitlement: SpecWriter['putEntitlement'] = (name, body, { onConflict, ifMatch }) =>
    guarded({ missing: 'precondition_failed', refused: 'entitlement_refused' }, async () => {
      const spec = entitlementSpecOf(body);
      const plan = (object: KubeObject): SpecPatch | Refused => {
        const matches = ifMatch === undefined || ifMatch === '*' || ifMatch === etagOf(object);
        return matches
          ? patchTo(fieldsOf(specOf(object)), fieldsOf(spec))
          : refused('precondition_failed', `The tier ${name} has the etag ${etagOf(object)}`);
      };
      const change = async (): Promise<Outcome<Written<EntitlementRecord>>> => {
        const outcome = await changeSpec({ client, type: ENTITLEMENTS, namespace }, { name, onConflict, plan });
        return outcome.ok
          ? written(entitlementOf(outcome.data.object), outcome.data.object, outcome.data.changed)
          : outcome;
      };
      try {
        return await change();
      } catch (error) {
        // If-Match names something that is to be there.
        if (!isStatus(error, 404) || ifMatch !== undefined) throw error;
        return (await create(name, spec)) ?? change();
      }
    });

  return {
    putEntitlement,
    putAgentEntitlement: (agentId, body, onConflict) =>
      guarded({ missing: 'no_such_agent', refused: 'no_such_entitlement' }, async () => {
        // As it is read, not as it was written: to let the balance decide where nothing was said is no change.
        const plan = (object: KubeObject): SpecPatch =>
          patchTo(fieldsOf(recordOf(object).spec.entitlement, 'entitlement'), fieldsOf(body, 'entitlement'));
        const outcome = await changeSpec({ client, type: AGENTS, namespace }, { name: agentId, onConflict, plan });
        return outcome.ok ? written(recordOf(outcome.data.object), outcome.data.object, outcome.data.changed) : outcome;
      }),
  };
}
