import { API_VERSION, type EntitlementBody, tierLimitsBy } from '@hamlet/contract';
import { isStatus, type KubeClient, type KubeObject } from '@hamlet/kube';
import type { EntitlementRecord } from '../agents/agent-source.ts';
import { AGENTS, ENTITLEMENTS, entitlementOf, etagOf, recordOf } from '../agents/kubernetes-watch.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { changeSpec, guardWrite, type SpecPatch } from './change-spec.ts';
import { FIELD_MANAGER } from '../agents/field-owners.ts';
import { differenceOf, fieldsOf, nestedOf, type SpecFields } from './spec-fields.ts';
import type { SpecWriter, Written } from './spec-writer.ts';

const specOf = (object: KubeObject): unknown => (object as KubeObject & { readonly spec?: unknown }).spec;

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
      // Another writer created the tier in the meantime, so the caller can now change it.
      if (isStatus(error, 409)) return null;
      throw error;
    }
  }

  const putEntitlement: SpecWriter['putEntitlement'] = (name, body, { onConflict, ifMatch, resumed }) =>
    guardWrite({ missing: 'precondition_failed', refused: 'entitlement_refused' }, async () => {
      const spec = entitlementSpecOf(body);
      const plan = (object: KubeObject): SpecPatch | Refused => {
        const patch = patchTo(fieldsOf(specOf(object)), fieldsOf(spec));
        const isDone = resumed && patch.paths.length === 0;
        return isDone || ifMatch === undefined || ifMatch === '*' || ifMatch === etagOf(object)
          ? patch
          : refused(
              'precondition_failed',
              `The tier ${name} has changed: read it again; its etag is ${etagOf(object)}`,
            );
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
        // With If-Match the tier must exist.
        if (!isStatus(error, 404) || ifMatch !== undefined) throw error;
        return (await create(name, spec)) ?? change();
      }
    });

  return {
    putEntitlement,
    putAgentEntitlement: (agentId, body, onConflict) =>
      guardWrite({ missing: 'no_such_agent', refused: 'no_such_entitlement' }, async () => {
        // The comparison includes defaults, so that ByBalance changes nothing on an agent without a policy.
        const plan = (object: KubeObject): SpecPatch =>
          patchTo(fieldsOf(recordOf(object).spec.entitlement, 'entitlement'), fieldsOf(body, 'entitlement'));
        const outcome = await changeSpec({ client, type: AGENTS, namespace }, { name: agentId, onConflict, plan });
        return outcome.ok ? written(recordOf(outcome.data.object), outcome.data.object, outcome.data.changed) : outcome;
      }),
  };
}

function entitlementSpecOf({
  rank,
  min_balance,
  limits,
  compute,
  price,
}: EntitlementBody): Readonly<Record<string, unknown>> {
  const { gpu } = compute;
  return {
    rank,
    minBalance: min_balance,
    limits: {
      ...tierLimitsBy('field', ({ name }) => limits[name]),
      models: limits.models,
    },
    compute: {
      resources: { cpu: compute.cpu, memory: compute.memory },
      gpu: {
        mode: gpu.mode,
        count: gpu.count,
        ...(gpu.resource_name === null ? {} : { resourceName: gpu.resource_name }),
        ...(gpu.claim_template_name === null ? {} : { claimTemplateName: gpu.claim_template_name }),
      },
      ...(compute.priority_class_name === null ? {} : { priorityClassName: compute.priority_class_name }),
    },
    price: { perHour: price.per_hour, perThousandTokens: price.per_thousand_tokens },
  };
}
