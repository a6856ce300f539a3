import {
  formatAiDollars,
  RUN_EVENT_TEXT_MAX_CHARS,
  WORKFLOW_INPUT_MAX_CHARS,
  type WorkflowStage,
} from '@hamlet/contract';
import { isSettled, shorten } from '@hamlet/core';
import type { ContextText, RunRow, StageWorker } from '@hamlet/store';
import { z } from 'zod';
import { stageStatus, type FoldedStage } from './fold-stages.ts';

/** Texts of the journal by their references. */
type Texts = ReadonlyMap<string, Pick<ContextText, 'text'>>;

interface StageFacts {
  readonly run: Pick<RunRow, 'state' | 'endedAt'>;
  /** The plan as JSON; null if it is unknown. */
  readonly plan: string | null;
  readonly workers: readonly StageWorker[];
  readonly texts: Texts;
  /** Replaces messages for readers who may not read texts; null for others. */
  readonly veil: string | null;
}

/** The stages of a run for people. Pure. */
export function showStages(stages: readonly FoldedStage[], facts: StageFacts): WorkflowStage[] {
  const roles = rolesIn(facts.plan);
  const workers = Map.groupBy(facts.workers, ({ stage }) => stage.stage);
  return stages.map((each) => showStage(each, { ...facts, roles, workers: workers.get(each.stage) ?? [] }));
}

const PlanOfRun = z.object({ stages: z.array(z.object({ id: z.string(), role: z.string() })) });

/** The roles of stages by id: the event of a skipped stage has no role. */
function rolesIn(plan: string | null): ReadonlyMap<string, string> {
  try {
    const { stages } = PlanOfRun.parse(JSON.parse(plan ?? '{"stages":[]}'));
    return new Map(stages.map(({ id, role }) => [id, role]));
  } catch {
    return new Map();
  }
}

type OneStage = StageFacts & { readonly roles: ReadonlyMap<string, string> };

function showStage(folded: FoldedStage, facts: OneStage): WorkflowStage {
  const { stage, role, round, attempt, ended } = folded;
  const { run, roles, workers, texts, veil } = facts;
  const current = workers.findLast(({ stage: of }) => of.round === round && of.attempt === attempt);
  return {
    stage,
    role: roles.get(stage) ?? role ?? 'linear',
    status: stageStatus(folded, isSettled(run.state)),
    round,
    attempt,
    ...(veil === null ? textsOf(folded, texts) : { input: null, output: null }),
    failure: failureOf(ended, texts, veil),
    edges: [...(ended?.edges ?? [])],
    worker_run_id: current?.runId ?? null,
    ...usageOf(workers),
    ...timesOf(folded, run),
  };
}

const textsOf = ({ inputRef, ended }: FoldedStage, texts: Texts) => ({
  input: jsonOf(texts, inputRef),
  output: jsonOf(texts, ended?.output ?? null),
});

const usageOf = (workers: readonly StageWorker[]) => ({
  tokens: workers.reduce((sum, { tokens }) => sum + tokens, 0),
  cost: formatAiDollars(BigInt(workers.reduce((sum, { costMicros }) => sum + costMicros, 0))),
});

/** An open stage ends with its run. */
function timesOf({ startedAtMs, ended }: FoldedStage, { endedAt }: Pick<RunRow, 'endedAt'>) {
  const end = ended === null ? endedAt : new Date(ended.atMs);
  return {
    started_at: startedAtMs === null ? null : new Date(startedAtMs).toISOString(),
    ended_at: end?.toISOString() ?? null,
  };
}

function jsonOf(texts: Texts, ref: string | null): string | null {
  const text = ref === null ? null : (texts.get(ref)?.text ?? null);
  return text === null || text.length > WORKFLOW_INPUT_MAX_CHARS ? null : text;
}

function failureOf(ended: FoldedStage['ended'], texts: Texts, veil: string | null): WorkflowStage['failure'] {
  if (ended === null || ended.failure === null) return null;
  const { category, code, message } = ended.failure;
  return { category, code, message: veil ?? messageOf(texts.get(message)?.text ?? '""') };
}

/** The journal has the message as JSON. */
function messageOf(json: string): string {
  try {
    return shorten(z.string().parse(JSON.parse(json)), RUN_EVENT_TEXT_MAX_CHARS);
  } catch {
    return '';
  }
}
