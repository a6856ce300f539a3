import { z } from 'zod';
import { defineRoute } from '../../route.ts';
import { AgentId, Time } from '../scalars.ts';

/**
 * Why no money was set aside for a tier, in the words of an Agent's condition Admitted. `NotPaid`: the agent has less than an hour of it costs.
 * `HoldRefused`: its account is closed, or something is held against it. `HoldPending`: the api does not know the tier yet; ask again.
 */
export const ClaimRefusal = z.enum(['NotPaid', 'HoldRefused', 'HoldPending']);
export type ClaimRefusal = z.infer<typeof ClaimRefusal>;

const Uid = z.string().min(1).max(64);
const TierName = z.string().min(1).max(253);

/** What one life of an agent holds to run by, as the api has it. A greater version is newer. */
export const ComputeClaim = z.strictObject({
  agent_id: AgentId,
  uid: Uid,
  version: z.int().min(1),
  cycle: z.int().min(0).meta({ description: 'The newest cycle that was asked for' }),
  held: z.boolean().meta({
    description:
      'Whether money is set aside and a pod of `tier` may run until `until`; with false the pod has to end, or to change to a tier that is paid',
  }),
  tier: TierName.nullable().meta({ description: 'What money is set aside for; null where none is' }),
  until: Time.nullable().meta({ description: 'No pod of `tier` may run longer, unless a later version says so' }),
  pod_uid: z
    .string()
    .nullable()
    .meta({ description: 'The pod that the time is counted of; null before it was said to run' }),
  refused: z.strictObject({ tier: TierName, reason: ClaimRefusal, payable: TierName.nullable() }).nullable().meta({
    description:
      'The tier that was asked for in vain, and the highest one below it that the agent could pay; null once it may be asked for again',
  }),
});
export type ComputeClaim = z.infer<typeof ComputeClaim>;

const claims = {
  tag: 'internal',
  method: 'POST',
  placement: 'absolute',
  audiences: ['agents'],
  permission: 'operator',
  idempotency: 'natural',
  reasons: ['fence_stale', 'village_frozen'],
} as const;

export const ClaimBody = z.strictObject({
  agent_id: AgentId,
  uid: Uid.meta({ description: 'The life: the uid of the Agent' }),
  cycle: z.int().min(0),
  tier: TierName.meta({ description: 'The Entitlement that the pod shall have' }),
  pod_uid: Uid.nullable().meta({
    description: 'The pod, once its container runs: from then on its time is counted. Null before there is one',
  }),
  image_digest: z
    .string()
    .max(512)
    .nullable()
    .default(null)
    .meta({ description: 'The image that the container runs, as its node names it' }),
});
export type ClaimBody = z.infer<typeof ClaimBody>;

export const claimCompute = defineRoute({
  ...claims,
  name: 'claimCompute',
  summary:
    'Set money aside for a pod of a priced tier, before there is one; asked again, it keeps what is set aside. Needs the header hamlet-fence: LEASE_UID:TRANSITIONS',
  path: '/internal/claims',
  body: ClaimBody,
  answer: {
    kind: 'json',
    schema: z.strictObject({
      granted: z.boolean(),
      reason: ClaimRefusal.nullable(),
      hold_id: z.uuid().nullable().meta({ description: 'Null where the tier is free' }),
      until: Time.nullable().meta({ description: 'Null where the tier is free' }),
      claim: ComputeClaim.nullable().meta({
        description: 'All that is known of it; null where nothing is, since the tier is free',
      }),
    }),
  },
});

export const releaseCompute = defineRoute({
  ...claims,
  name: 'releaseCompute',
  summary:
    'The pod is gone, or of a free tier: its time is charged, and what was set aside beyond is free again. Needs the header hamlet-fence: LEASE_UID:TRANSITIONS',
  path: '/internal/claims/release',
  body: z.strictObject({
    agent_id: AgentId,
    uid: Uid,
    version: z.int().min(0).meta({ description: 'The newest version that was heard: a newer claim stays' }),
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({
      released: z.boolean().meta({ description: 'False where nothing was set aside, or for something newer' }),
    }),
  },
});
