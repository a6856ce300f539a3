import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { AgentId, Time } from '../values/scalars.ts';

/** `HoldRefused`: the account is closed or a measure is in force. `HoldPending`: the API does not know the tier yet; ask again. */
export const ClaimRefusal = z.enum(['NotPaid', 'HoldRefused', 'HoldPending']);
export type ClaimRefusal = z.infer<typeof ClaimRefusal>;

const Uid = z.string().min(1).max(64);
const TierName = z.string().min(1).max(253);

/** The record with the greater version is newer. */
export const ComputeClaim = z.strictObject({
  agent_id: AgentId,
  uid: Uid,
  version: z.int().min(1),
  cycle: z.int().min(0).describe('Newest cycle that the operator requested'),
  held: z
    .boolean()
    .describe(
      'True if money is held and a pod of `tier` may run until `until`; false if the pod must end or change to a paid tier',
    ),
  tier: TierName.nullable().describe('Tier that the held money pays for; null without a hold'),
  until: Time.nullable().describe('Time at which a pod of `tier` must end, unless a later version extends it'),
  pod_uid: z.string().nullable().describe('Pod whose time is charged; null until the operator reports one'),
  refused: z
    .strictObject({ tier: TierName, reason: ClaimRefusal, payable: TierName.nullable() })
    .nullable()
    .describe(
      'Refused tier, and the highest tier below it that the agent can pay; null once the operator may ask again',
    ),
});
export type ComputeClaim = z.infer<typeof ComputeClaim>;

const claims = {
  tag: 'internal',
  placement: 'absolute',
  audiences: ['agents'],
  permission: 'operator',
  idempotency: 'natural',
  reasons: ['fence_stale', 'village_frozen'],
} as const;

export const ClaimBody = z.strictObject({
  agent_id: AgentId,
  uid: Uid.describe('Uid of the Agent'),
  cycle: z.int().min(0),
  tier: TierName.describe('Entitlement of the pod'),
  pod_uid: Uid.nullable().describe('The pod once its container runs, from when its time is charged; null before'),
  image_digest: z.string().max(512).nullable().default(null).describe('Image of the container, as its node names it'),
});
export type ClaimBody = z.infer<typeof ClaimBody>;

export const claimCompute = defineRoute('claimCompute POST /internal/claims', {
  ...claims,
  summary:
    'Hold money for a pod of a priced tier before creating the pod; a repeated request keeps the hold. Needs the header hamlet-fence: LEASE_UID:TRANSITIONS',
  body: ClaimBody,
  answer: json(
    z.strictObject({
      granted: z.boolean(),
      reason: ClaimRefusal.nullable(),
      hold_id: z.uuid().nullable().describe('Null if the tier is free'),
      until: Time.nullable().describe('Null if the tier is free'),
      claim: ComputeClaim.nullable().describe('The claim; null if there is none because the tier is free'),
    }),
  ),
});

export const releaseCompute = defineRoute('releaseCompute POST /internal/claims/release', {
  ...claims,
  summary:
    'Release the claim of a pod that has ended or is of a free tier: charges its time and frees the rest. Needs the header hamlet-fence: LEASE_UID:TRANSITIONS',
  body: z.strictObject({
    agent_id: AgentId,
    uid: Uid,
    version: z.int().min(0).describe('Newest version that the operator knows; a newer claim stays'),
  }),
  answer: json(
    z.strictObject({
      released: z.boolean().describe('False if no money was held, or if a newer claim holds it'),
    }),
  ),
});
