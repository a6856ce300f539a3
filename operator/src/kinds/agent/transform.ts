import { Agent, AgentStatus, Entitlement, EntitlementSpec } from '@hamlet/contract/kinds';
import { slim, type KubeObject } from '@hamlet/kube';
import * as z from 'zod';
import type { AgentView, ClaimView, ContainerState, NodeView, PodView, TierView } from './views.ts';

type Raw = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

const problemOf = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

/** An Agent without its texts. What cannot be read (written under an older schema) becomes a problem, not an exception. */
export function agentView(raw: Raw): AgentView {
  const { metadata } = slim(raw);
  const parsed = Agent.shape.spec.safeParse(raw.spec);
  const status = AgentStatus.safeParse(raw.status ?? {});
  const kept = { metadata, status: status.success ? status.data : {} };
  if (!parsed.success) return { ...kept, spec: undefined, problem: problemOf(parsed.error) };
  const { power, rebootedAt, entitlement, memory, placement, isolation } = parsed.data;
  const spec = { power, entitlement, memory, placement, isolation, ...(rebootedAt === undefined ? {} : { rebootedAt }) };
  return { ...kept, spec, problem: undefined };
}

/** An Entitlement that cannot be read ranks as if it were not there: see `isReadable`. */
export function tierView(raw: Raw): TierView {
  const parsed = Entitlement.shape.spec.safeParse(raw.spec);
  return { metadata: slim(raw).metadata, spec: parsed.success ? parsed.data : UNREADABLE };
}

const UNREADABLE = EntitlementSpec.parse({ rank: 0, limits: { requestsPerMinute: 0, concurrentTools: 0, tokensPerHour: 0 } });

export function isReadable(tier: TierView): boolean {
  return tier.spec !== UNREADABLE;
}

const Terminated = z.looseObject({ reason: z.string().optional(), exitCode: z.number().optional() });
const ContainerStatus = z.looseObject({
  restartCount: z.number().default(0),
  state: z.looseObject({ running: z.looseObject({}).optional(), waiting: z.looseObject({ reason: z.string().optional(), message: z.string().optional() }).optional() }).default({}),
  lastState: z.looseObject({ terminated: Terminated.optional() }).default({}),
});
const RawPod = z.looseObject({
  spec: z.looseObject({ nodeName: z.string().optional(), containers: z.array(z.looseObject({ image: z.string().optional() })).default([]) }),
  status: z
    .looseObject({
      phase: z.string().default('Pending'),
      reason: z.string().optional(),
      message: z.string().optional(),
      conditions: z.array(z.looseObject({ type: z.string(), status: z.string(), reason: z.string().default(''), message: z.string().default('') })).default([]),
      containerStatuses: z.array(ContainerStatus).default([]),
    })
    .prefault({}),
});

function containerState(status: z.infer<typeof ContainerStatus>): ContainerState {
  const { terminated } = status.lastState;
  return {
    running: status.state.running !== undefined,
    restarts: status.restartCount,
    waitingReason: status.state.waiting?.reason,
    waitingMessage: status.state.waiting?.message,
    lastEnd: terminated === undefined ? undefined : `${terminated.reason ?? 'ended'} with exit code ${terminated.exitCode ?? 'unknown'}`,
  };
}

/** Of a pod, what decides. */
export function podView(raw: Raw): PodView {
  const { spec, status } = RawPod.parse(raw);
  const scheduled = status.conditions.find(({ type }) => type === 'PodScheduled');
  const [container] = status.containerStatuses;
  return {
    metadata: slim(raw).metadata,
    image: spec.containers[0]?.image,
    nodeName: spec.nodeName,
    phase: status.phase,
    scheduled: scheduled === undefined ? undefined : { status: scheduled.status, reason: scheduled.reason, message: scheduled.message },
    container: container === undefined ? undefined : containerState(container),
    reason: status.reason,
    message: status.message,
  };
}

export function claimView(raw: Raw): ClaimView {
  return { metadata: slim(raw).metadata };
}

const RawNode = z.looseObject({
  status: z.looseObject({ conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).default([]) }).prefault({}),
});

export function nodeView(raw: Raw): NodeView {
  const { status } = RawNode.parse(raw);
  const { name, uid, resourceVersion } = raw.metadata;
  return { metadata: { name, uid, resourceVersion }, ready: status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True') };
}
