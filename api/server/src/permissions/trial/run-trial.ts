import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  TRIAL_EXAMPLES_MAX,
  TRIAL_ROWS_MAX,
  type Policy,
  type PolicyTrial,
  type TrialExample,
  type TrialVerdict,
} from '@hamlet/contract';
import { asksAboutWrites } from '@hamlet/core/egress';
import { classesOfFacts, judgeFacts, type Judged, type JudgedFacts } from '@hamlet/core';
import { countUntriedCalls, readJudgedCalls, TRIAL_DAYS, type JudgedCallRow, type TextReader } from '@hamlet/store';
import type { Village } from '../../village.ts';
import { policyOfRun, type PolicyColumns, type PolicyOf } from '../agent-policy.ts';

const DAY_MS = 86_400_000;
const PAGE = 500;
/** Longest time in ms without a turn of the event loop. */
const SLICE_MS = 8;
const POLICIES_MAX = 5_000;
const JUDGED_MAX = 20_000;

export interface TrialLimits {
  readonly calls: number;
  readonly ms: number;
}

interface Difference {
  readonly row: JudgedCallRow;
  readonly classes: readonly string[];
  readonly was: Judged;
  readonly would: Judged;
}

/** Keeps policies and judgements, because many calls have the same facts. Null if both policies are the same. */
function createJudge(before: PolicyOf, after: PolicyOf) {
  const policies = new Map<string, readonly [Policy, Policy]>();
  const judged = new Map<string, readonly [Judged, Judged]>();
  return ({ agentId, toolLists, safeMode }: PolicyColumns, facts: JudgedFacts): readonly [Judged, Judged] | null => {
    const run = { agentId, toolLists, safeMode };
    const runKey = JSON.stringify(run);
    const pair = policies.get(runKey) ?? ([policyOfRun(before, run), policyOfRun(after, run)] as const);
    if (policies.size >= POLICIES_MAX) policies.clear();
    policies.set(runKey, pair);
    if (pair[0].version === pair[1].version) return null;
    const key = runKey + JSON.stringify({ ...facts, taint: facts.taint && [facts.taint.source, facts.taint.detail] });
    const found = judged.get(key) ?? ([judgeFacts(pair[0], facts), judgeFacts(pair[1], facts)] as const);
    if (judged.size >= JUDGED_MAX) judged.clear();
    judged.set(key, found);
    return found;
  };
}

function factsOf(row: JudgedCallRow, brokerAsks: boolean): JudgedFacts {
  const { tool, toolClass, classes, unclear, taintSource, taintDetail, byRule, judgedAt } = row;
  const mark = { call_id: null, run_id: null, at: judgedAt.toISOString() };
  const taint = taintSource === null ? null : { ...mark, source: taintSource, detail: taintDetail ?? '' };
  return { tool, toolClass, classes, unclear, taint, byRule, brokerAsks };
}

const verdictView = ({ verdict, reason, rule }: Judged): TrialVerdict => ({ verdict, reason, rule: rule ?? null });

const exampleOf = ({ row, was, would }: Difference): TrialExample => ({
  run_id: row.runId,
  call_id: row.callId,
  agent_id: row.agentId,
  at: row.judgedAt.toISOString(),
  tool: row.tool,
  words: row.words,
  before: verdictView(was),
  after: verdictView(would),
  answer: row.answer,
});

const changeOf = ({ was, would }: Difference) => ({ from: was.verdict, to: would.verdict });
const greatestFirst = <T extends { readonly calls: number }>(counts: readonly T[]): T[] =>
  counts.toSorted((a, b) => b.calls - a.calls);

function countBy(differences: readonly Difference[], namesOf: (difference: Difference) => readonly string[]) {
  const named = differences.flatMap((each) => namesOf(each).map((name) => ({ name, ...changeOf(each) })));
  const groups = [...Map.groupBy(named, ({ name, from, to }) => `${name} ${from}>${to}`).values()];
  return greatestFirst(
    groups.flatMap((group) => group.slice(0, 1).map((first) => ({ ...first, calls: group.length }))),
  );
}

/** The counts and the examples of differences. Examples are one of each change in turn, so that a frequent one hides no rare one. */
function summaryOf(differences: readonly Difference[]) {
  const kinds = [...Map.groupBy(differences, (each) => JSON.stringify(changeOf(each))).values()];
  const answered = (kind: readonly Difference[], answer: JudgedCallRow['answer']): number =>
    kind.filter(({ row }) => row.answer === answer).length;
  const changes = kinds.flatMap((kind) =>
    kind.slice(0, 1).map((first) => ({
      ...changeOf(first),
      calls: kind.length,
      answers: {
        allowed: answered(kind, 'allowed'),
        denied: answered(kind, 'denied'),
        expired: answered(kind, 'expired'),
      },
    })),
  );
  const inTurn = Array.from({ length: TRIAL_EXAMPLES_MAX }, (_, at) => kinds.flatMap((kind) => kind[at] ?? [])).flat();
  const examples = inTurn.slice(0, TRIAL_EXAMPLES_MAX).map(exampleOf);
  return {
    changes: greatestFirst(changes),
    by_class: countBy(differences, ({ classes }) => classes),
    by_agent: countBy(differences, ({ row }) => [row.agentId]).slice(0, TRIAL_ROWS_MAX),
    examples: examples.toSorted((a, b) => b.at.localeCompare(a.at)),
  };
}

interface Asked {
  readonly before: PolicyOf;
  readonly after: PolicyOf;
  readonly reader: TextReader;
  readonly limits: TrialLimits;
  readonly now: Date;
}

/** Judges calls in pages, the newest first, and lets other work run between them and within them. */
async function look({ db, source, egressOf, monotonicMs }: Village, { before: inForce, after, reader, limits }: Asked) {
  const judge = createJudge(inForce, after);
  const endsMs = monotonicMs() + limits.ms;
  const differences: Difference[] = [];
  const counts = { looked_at: 0, judged: 0, run_gone: 0, agent_gone: 0 };
  function take(row: JudgedCallRow): void {
    counts.looked_at += 1;
    if (!row.hasRun) counts.run_gone += 1;
    else if (source.get(row.agentId)?.uid !== row.agentUid) counts.agent_gone += 1;
    else {
      counts.judged += 1;
      const facts = factsOf(row, asksAboutWrites(egressOf(row.agentId)));
      const [was, would] = judge(row, facts) ?? [];
      if (was !== undefined && would !== undefined && was.verdict !== would.verdict)
        differences.push({ row, classes: classesOfFacts(facts), was, would });
    }
  }
  let before: string | null = null;
  while (counts.looked_at < limits.calls) {
    const limit = Math.min(PAGE, limits.calls - counts.looked_at);
    const rows: readonly JudgedCallRow[] = await readJudgedCalls(db, { reader, before, limit });
    let sliceMs = monotonicMs();
    for (const row of rows) {
      take(row);
      if (monotonicMs() - sliceMs < SLICE_MS) continue;
      await nextTurn();
      sliceMs = monotonicMs();
    }
    before = rows.at(-1)?.id ?? before;
    if (rows.length < limit) return { differences, counts, cut: null, before: null };
    if (monotonicMs() >= endsMs) return { differences, counts, cut: 'time' as const, before };
  }
  return { differences, counts, cut: 'calls' as const, before };
}

/** Judges last week's calls by both policies and counts the differences. Writes nothing. */
export async function runTrial(village: Village, asked: Asked): Promise<PolicyTrial> {
  const beganMs = village.monotonicMs();
  const { differences, counts, cut, before } = await look(village, asked);
  const { looked_at, judged, ...gone } = counts;
  const { withoutFacts: without_facts, older } = await countUntriedCalls(village.db, before);
  return {
    since: new Date(asked.now.getTime() - TRIAL_DAYS * DAY_MS).toISOString(),
    until: asked.now.toISOString(),
    looked_at,
    judged,
    changed: differences.length,
    // A limit that only just holds all calls cuts nothing.
    cut: older === 0 ? null : cut,
    not_judged: { older, without_facts, ...gone },
    ...summaryOf(differences),
    took_ms: Math.round(village.monotonicMs() - beganMs),
  };
}
