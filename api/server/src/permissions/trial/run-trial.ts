import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Policy, PolicyTrial, TrialExample, TrialVerdict } from '@hamlet/contract';
import { TRIAL_EXAMPLES_MAX, TRIAL_ROWS_MAX } from '@hamlet/contract';
import { asksAboutWrites } from '@hamlet/core/egress';
import { classesOfFacts, judgeFacts, type Judged, type JudgedFacts } from '@hamlet/core';
import { countUntriedCalls, readJudgedCalls, TRIAL_DAYS, type JudgedCallRow, type TextReader } from '@hamlet/store';
import type { Village } from '../../village.ts';
import { policyOfRun, type PolicyColumns, type PolicyOf } from '../agent-policy.ts';

const DAY_MS = 86_400_000;
const PAGE = 500;
/** Longest time in ms without yielding to the event loop. */
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

/** Caches policies and judgements, because many calls have the same facts. Null if both policies are the same. */
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
const greatestFirst = <T extends { readonly calls: number }>(counts: Iterable<T>): T[] =>
  [...counts].toSorted((a, b) => b.calls - a.calls);

type Counts = Map<string, { name: string; from: Judged['verdict']; to: Judged['verdict']; calls: number }>;

function countIn(counts: Counts, name: string, difference: Difference): void {
  const change = changeOf(difference);
  const key = `${name} ${change.from}>${change.to}`;
  const count = counts.get(key) ?? { name, ...change, calls: 0 };
  count.calls += 1;
  counts.set(key, count);
}

/**
 * Counts differences one by one, because a trial may find 50,000. Examples alternate between kinds of change, so that a
 * frequent kind does not hide a rare one.
 */
function createTally() {
  const kinds = new Map<string, Differences>();
  const [classes, agents]: [Counts, Counts] = [new Map(), new Map()];
  return {
    add(difference: Difference): void {
      const change = changeOf(difference);
      const key = `${change.from}>${change.to}`;
      const kind = kinds.get(key) ?? {
        ...change,
        calls: 0,
        answers: { allowed: 0, denied: 0, expired: 0 },
        examples: [],
      };
      kinds.set(key, kind);
      kind.calls += 1;
      if (difference.row.answer !== null) kind.answers[difference.row.answer] += 1;
      if (kind.examples.length < TRIAL_EXAMPLES_MAX) kind.examples.push(exampleOf(difference));
      for (const name of difference.classes) countIn(classes, name, difference);
      countIn(agents, difference.row.agentId, difference);
    },
    summary() {
      const all = [...kinds.values()];
      const inTurn = Array.from({ length: TRIAL_EXAMPLES_MAX }, (_, at) =>
        all.flatMap(({ examples }) => examples[at] ?? []),
      );
      const examples = inTurn.flat().slice(0, TRIAL_EXAMPLES_MAX);
      return {
        changed: all.reduce((sum, { calls }) => sum + calls, 0),
        changes: greatestFirst(all.map(({ from, to, calls, answers }) => ({ from, to, calls, answers }))),
        by_class: greatestFirst(classes.values()),
        by_agent: greatestFirst(agents.values()).slice(0, TRIAL_ROWS_MAX),
        examples: examples.toSorted((one, other) => other.at.localeCompare(one.at)),
      };
    },
  };
}

interface Differences {
  readonly from: Judged['verdict'];
  readonly to: Judged['verdict'];
  calls: number;
  readonly answers: Record<'allowed' | 'denied' | 'expired', number>;
  readonly examples: TrialExample[];
}

interface Asked {
  readonly before: PolicyOf;
  readonly after: PolicyOf;
  readonly reader: TextReader;
  readonly limits: TrialLimits;
  readonly now: Date;
}

/** Judges calls in pages, newest first, and yields to other work between and within them. */
async function look({ db, source, egressOf, monotonicMs }: Village, { before: inForce, after, reader, limits }: Asked) {
  const judge = createJudge(inForce, after);
  const endsMs = monotonicMs() + limits.ms;
  const tally = createTally();
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
        tally.add({ row, classes: classesOfFacts(facts), was, would });
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
    if (rows.length < limit) return { tally, counts, cut: null, before: null };
    if (monotonicMs() >= endsMs) return { tally, counts, cut: 'time' as const, before };
  }
  return { tally, counts, cut: 'calls' as const, before };
}

/** Judges last week's calls by both policies and counts the differences. Writes nothing. */
export async function runTrial(village: Village, asked: Asked): Promise<PolicyTrial> {
  const beganMs = village.monotonicMs();
  const { tally, counts, cut, before } = await look(village, asked);
  const { looked_at, judged, ...gone } = counts;
  const { withoutFacts: without_facts, older } = await countUntriedCalls(village.db, before);
  return {
    since: new Date(asked.now.getTime() - TRIAL_DAYS * DAY_MS).toISOString(),
    until: asked.now.toISOString(),
    looked_at,
    judged,
    // If the limit was just enough for all calls, none were cut.
    cut: older === 0 ? null : cut,
    not_judged: { older, without_facts, ...gone },
    ...tally.summary(),
    took_ms: Math.round(village.monotonicMs() - beganMs),
  };
}
