import { isStatus, PODS, TOKEN_REVIEWS, type KubeClient, type KubeObject } from '@hamlet/kube';
import { z } from 'zod';
import type { AgentRecord, AgentSource } from '../agents/agent-source.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import type { ReviewedAgent, TokenReviewer } from './token-exchange.ts';

const AUDIENCE = 'hamlet-api';
const AGENT_ACCOUNT = 'hamlet-agent';
const SERVICE_ACCOUNTS = ['operator', 'broker'] as const;
const POD_NAME = 'authentication.kubernetes.io/pod-name';
const POD_UID = 'authentication.kubernetes.io/pod-uid';

const User = z.object({
  username: z.string().default(''),
  extra: z.record(z.string(), z.array(z.string())).default({}),
});
const Review = z.object({
  status: z.object({
    authenticated: z.boolean().default(false),
    audiences: z.array(z.string()).default([]),
    user: User.prefault({}),
  }),
});

interface Reviewed {
  readonly username: string;
  readonly podName: string | undefined;
  readonly podUid: string | undefined;
}

/** Sends the token to TokenReview, then reads the token's pod, because the token of a deleted pod stays valid for a while. */
export function createKubernetesReviewer(ports: {
  readonly client: Pick<KubeClient, 'create' | 'get'>;
  readonly namespace: string;
  readonly source: Pick<AgentSource, 'get'>;
}): TokenReviewer {
  const { client, namespace, source } = ports;

  async function review(token: string): Promise<Reviewed | null> {
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences: [AUDIENCE] },
    };
    const { status } = Review.parse(await client.create(TOKEN_REVIEWS, body, {}));
    if (!status.authenticated || !status.audiences.includes(AUDIENCE)) return null;
    const { username, extra } = status.user;
    return { username, podName: extra[POD_NAME]?.[0], podUid: extra[POD_UID]?.[0] };
  }

  async function findPod(name: string): Promise<KubeObject | null> {
    try {
      return await client.get<KubeObject>(PODS, { namespace, name });
    } catch (error) {
      if (isStatus(error, 404)) return null;
      throw error;
    }
  }

  return {
    reviewAgent: async (token) => {
      const reviewed = await review(token);
      if (reviewed?.username !== `system:serviceaccount:${namespace}:${AGENT_ACCOUNT}`)
        return refused('token_review_refused');
      if (reviewed.podName === undefined || reviewed.podUid === undefined) return refused('token_not_from_pod');
      return lifeOf(await findPod(reviewed.podName), reviewed.podUid, source);
    },
    reviewService: async (token) => {
      const username = (await review(token))?.username;
      return SERVICE_ACCOUNTS.find((role) => username === `system:serviceaccount:${namespace}:hamlet-${role}`) ?? null;
    },
  };
}

/** The pod must have this uid, must not be ending, and must belong to the present cycle of its Agent. Pure. */
export function lifeOf(
  pod: KubeObject | null,
  podUid: string,
  source: Pick<AgentSource, 'get'>,
): Outcome<ReviewedAgent> {
  if (pod === null || pod.metadata.uid !== podUid)
    return refused('token_not_from_pod', 'The pod of this token is gone');
  if (pod.metadata.deletionTimestamp !== undefined)
    return refused('token_not_from_pod', 'The pod of this token is ending');
  const record = controllerOf(pod, source);
  if (record === null) return refused('token_not_from_pod', 'The pod of this token does not belong to an agent');
  const cycle = cycleIn(pod.metadata.name, record.agentId);
  if (cycle === null) return refused('token_not_from_pod', 'The pod is not named AGENT-CYCLE');
  if (cycle < (record.status.cycle ?? 0)) return refused('stale_cycle');
  return accepted({ agentId: record.agentId, uid: record.uid, podUid, cycle });
}

function controllerOf(pod: KubeObject, source: Pick<AgentSource, 'get'>): AgentRecord | null {
  const owner = pod.metadata.ownerReferences?.find((each) => each.controller === true && each.kind === 'Agent');
  const record = owner === undefined ? null : source.get(owner.name);
  return record?.uid === owner?.uid ? record : null;
}

function cycleIn(podName: string, agentId: string): number | null {
  const suffix = podName.startsWith(`${agentId}-`) ? podName.slice(agentId.length + 1) : '';
  return /^\d+$/.test(suffix) ? Number(suffix) : null;
}
