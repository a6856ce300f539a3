import type { FiringOutcome, Overlap, RunState } from '@hamlet/contract';

export interface RunUnderWay {
  readonly runId: string;
  readonly agentId: string;
  readonly state: RunState;
}

export interface FiringFacts {
  /** An agent that is named twice counts once. */
  readonly agents: readonly string[];
  readonly overlap: Overlap;
  readonly isKnown: (agentId: string) => boolean;
  readonly isBarred: (agentId: string) => boolean;
  /** False if the firing starts workflows and the agent has none that can be carried out. */
  readonly hasWork: (agentId: string) => boolean;
  readonly underWay: readonly RunUnderWay[];
  /** Queued runs from every source. */
  readonly waitingFor: (agentId: string) => number;
  readonly waitingMax: number;
}

interface AgentFiring {
  readonly agentId: string;
  readonly outcome: FiringOutcome;
  /** True if a run is created. */
  readonly runs: boolean;
}

export interface FiringPlan {
  readonly agents: readonly AgentFiring[];
  readonly cancel: readonly RunUnderWay[];
}

export function planFiring(facts: FiringFacts): FiringPlan {
  const underWay = Map.groupBy(facts.underWay, ({ agentId }) => agentId);
  const agents = [...new Set(facts.agents)].map((agentId): AgentFiring => {
    const outcome = outcomeFor(facts, agentId, underWay.has(agentId));
    return { agentId, outcome, runs: outcome === 'started' || outcome === 'queued' || outcome === 'replaced' };
  });
  const cancel = agents.flatMap(({ agentId, outcome }) =>
    outcome === 'replaced' ? (underWay.get(agentId) ?? []) : [],
  );
  return { agents, cancel };
}

function outcomeFor(
  { overlap, isKnown, isBarred, hasWork, waitingFor, waitingMax }: FiringFacts,
  agentId: string,
  busy: boolean,
): FiringOutcome {
  if (!isKnown(agentId)) return 'agent_unknown';
  if (isBarred(agentId)) return 'agent_barred';
  if (!hasWork(agentId)) return 'manifests_unusable';
  if (busy && overlap === 'Forbid') return 'skipped_overlap';
  if (busy && overlap === 'Replace') return 'replaced';
  if (waitingFor(agentId) >= waitingMax) return 'skipped_overlap';
  return busy ? 'queued' : 'started';
}
