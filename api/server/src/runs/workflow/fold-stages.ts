import { FlowClaim, type JournalClaim, type WorkflowStage } from '@hamlet/contract';

type ClaimOf<T extends FlowClaim['type']> = Extract<FlowClaim, { type: T }>;
type Ended = ClaimOf<'stage_closed'>['flow'];

/** A stage in the journal: with references instead of texts, and times by the agent's clock. */
export interface FoldedStage {
  readonly stage: string;
  readonly role: string | null;
  readonly round: number;
  readonly attempt: number;
  readonly inputRef: string | null;
  readonly startedAtMs: number | null;
  /** Null while the stage is open. */
  readonly ended: (Ended & { readonly atMs: number }) | null;
}

export interface FoldedFlow {
  /** Null before the run has begun. */
  readonly opened: { readonly pipeline: string; readonly planRef: string } | null;
  /** In the order of their first beginnings. */
  readonly stages: readonly FoldedStage[];
}

/** The workflow of a run, from the events of its journal in their order. Ignores events that it cannot read. Pure. */
export function foldStages(events: readonly JournalClaim[]): FoldedFlow {
  const claims = events.flatMap((event) => FlowClaim.safeParse(event).data ?? []);
  const stages = new Map<string, FoldedStage>();
  let opened: FoldedFlow['opened'] = null;
  for (const claim of claims) {
    if (claim.type === 'run_opened') opened = { pipeline: claim.flow.pipeline, planRef: claim.plan };
    else stages.set(claim.stage, stageAfter(stages.get(claim.stage), claim));
  }
  return { opened, stages: [...stages.values()] };
}

const UNBEGUN = { role: null, round: 0, attempt: 0, inputRef: null, startedAtMs: null };

function stageAfter(
  before: FoldedStage | undefined,
  { stage, at, ...claim }: Exclude<FlowClaim, ClaimOf<'run_opened'>>,
): FoldedStage {
  if (claim.type === 'stage_closed')
    return { ...(before ?? { stage, ...UNBEGUN }), ended: { ...claim.flow, atMs: at } };
  const { role, round, attempt, input } = claim.flow;
  return { stage, role, round, attempt, inputRef: input, startedAtMs: at, ended: null };
}

/** The status that people see. A judge that sends its stage back is repeated; a stage still open at the end of its run is stopped. Pure. */
export function stageStatus({ ended }: Pick<FoldedStage, 'ended'>, runHasEnded: boolean): WorkflowStage['status'] {
  if (ended === null) return runHasEnded ? 'stopped' : 'running';
  switch (ended.end) {
    case 'done':
      return 'completed';
    case 'again':
      return runHasEnded ? 'stopped' : 'repeated';
    case 'failed':
      return ended.edges.length === 0 && !runHasEnded ? 'repeated' : 'failed';
    default:
      return ended.end;
  }
}
