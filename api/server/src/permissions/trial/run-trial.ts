import { setImmediate as nextTurn } from 'node:timers/promises';
import { TRIAL_ROWS_MAX, type Policy, type PolicyTrial, type TrialExample } from '@hamlet/contract';
import { asksAboutWrites } from '@hamlet/core/egress';
import { classesOfFacts, judgeFacts, TrialTally, type Judged, type JudgedFacts } from '@hamlet/core';
import {
  countUntriedCalls,
  readJudgedCalls,
  TRIAL_DAYS,
  type Db,
  type JudgedCallRow,
  type TextReader,
} from '@hamlet/store';
import type { AgentSource } from '../../agents/agent-source.ts';
import type { EgressOf } from '../../egress/egress-of.ts';
import { policyOfRun, type PolicyColumns, type PolicyOf } from '../agent-policy.ts';
import { exampleOf, factsOf } from './trial-view.ts';
import { Examples } from './examples.ts';

const DAY_MS = 86_400_000;
const PAGE = 500;
/** Longest time in ms without a turn of the event loop. */
const SLICE_MS = 8;
/** Policies of workers and of safe modes that are remembered; then they are made again. */
const POLICIES_MAX = 500;

export interface TrialLimits {
  readonly calls: number;
  readonly ms: number;
}

export interface TrialPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get'>;
  readonly egressOf: EgressOf;
  readonly monotonicMs: () => number;
}

/** Judgements that are remembered for one pair of policies: most calls of a week differ in nothing that a rule could see. */
const JUDGED_MAX = 2_000;

/** The policy in force and the proposed one, with their judgements of calls that have the same facts. */
class Policies {
  readonly #before: Policy;
  readonly #after: Policy;
  readonly #judged = new Map<string, readonly [Judged, Judged]>();

  constructor(before: Policy, after: Policy) {
    this.#before = before;
    this.#after = after;
  }

  get areSame(): boolean {
    return this.#before.version === this.#after.version;
  }

  judge(facts: JudgedFacts): readonly [Judged, Judged] {
    const key = JSON.stringify({ ...facts, taint: facts.taint && [facts.taint.source, facts.taint.detail] });
    const found = this.#judged.get(key) ?? [judgeFacts(this.#before, facts), judgeFacts(this.#after, facts)];
    if (this.#judged.size >= JUDGED_MAX) this.#judged.clear();
    this.#judged.set(key, found);
    return found;
  }
}

/** The policies of a run in force and as proposed. Agents and tiers may change meanwhile: each agent has its first ones. */
class PolicyPairs {
  readonly #ofAgent = new Map<string, Policies>();
  readonly #ofRun = new Map<string, Policies>();
  readonly #pair: (run: PolicyColumns) => Policies;

  constructor(before: PolicyOf, after: PolicyOf) {
    this.#pair = (run) => new Policies(policyOfRun(before, run), policyOfRun(after, run));
  }

  of({ agentId, toolLists, safeMode }: PolicyColumns): Policies {
    const run = { agentId, toolLists, safeMode };
    if (toolLists === null && safeMode === null) return this.#kept(this.#ofAgent, agentId, run);
    if (this.#ofRun.size >= POLICIES_MAX) this.#ofRun.clear();
    return this.#kept(this.#ofRun, JSON.stringify(run), run);
  }

  #kept(known: Map<string, Policies>, key: string, run: PolicyColumns): Policies {
    const found = known.get(key) ?? this.#pair(run);
    known.set(key, found);
    return found;
  }
}

class Findings {
  readonly tally = new TrialTally();
  readonly examples = new Examples();
  lookedAt = 0;
  judged = 0;
  changed = 0;
  runGone = 0;
  agentGone = 0;

  take(
    row: JudgedCallRow,
    { source, egressOf, pairs }: Pick<TrialPorts, 'source' | 'egressOf'> & { readonly pairs: PolicyPairs },
  ): void {
    this.lookedAt += 1;
    if (!row.hasRun) this.runGone += 1;
    else if (source.get(row.agentId)?.uid !== row.agentUid) this.agentGone += 1;
    else this.#judge(row, pairs.of(row), egressOf);
  }

  #judge(row: JudgedCallRow, policies: Policies, egressOf: EgressOf): void {
    this.judged += 1;
    if (policies.areSame) return;
    const facts = factsOf(row, asksAboutWrites(egressOf(row.agentId)));
    const [was, would] = policies.judge(facts);
    if (was.verdict === would.verdict) return;
    this.changed += 1;
    const change = { from: was.verdict, to: would.verdict };
    this.tally.add({ agentId: row.agentId, classes: classesOfFacts(facts), ...change, answer: row.answer });
    this.examples.add(change, () => exampleOf(row, was, would));
  }
}

interface Looked {
  readonly cut: PolicyTrial['cut'];
  /** The last call that the trial looked at; null if it looked at all. */
  readonly before: string | null;
}

async function look(
  { db, source, egressOf, monotonicMs }: TrialPorts,
  {
    findings,
    pairs,
    reader,
    limits,
  }: {
    readonly findings: Findings;
    readonly pairs: PolicyPairs;
    readonly reader: TextReader;
    readonly limits: TrialLimits;
  },
): Promise<Looked> {
  const endsMs = monotonicMs() + limits.ms;
  let before: string | null = null;
  while (findings.lookedAt < limits.calls) {
    const limit = Math.min(PAGE, limits.calls - findings.lookedAt);
    const rows: readonly JudgedCallRow[] = await readJudgedCalls(db, { reader, before, limit });
    let sliceMs = monotonicMs();
    for (const row of rows) {
      findings.take(row, { source, egressOf, pairs });
      if (monotonicMs() - sliceMs < SLICE_MS) continue;
      await nextTurn();
      sliceMs = monotonicMs();
    }
    before = rows.at(-1)?.id ?? before;
    if (rows.length < limit) return { cut: null, before: null };
    if (monotonicMs() >= endsMs) return { cut: 'time', before };
  }
  return { cut: 'calls', before };
}

/**
 * Judges the calls of the last week by the policies in force and by proposed ones, with the evaluator of all calls, and counts the
 * differences. It writes nothing.
 */
export async function runTrial(
  ports: TrialPorts,
  asked: {
    readonly before: PolicyOf;
    readonly after: PolicyOf;
    readonly reader: TextReader;
    readonly limits: TrialLimits;
    readonly now: Date;
  },
): Promise<PolicyTrial> {
  const beganMs = ports.monotonicMs();
  const findings = new Findings();
  const pairs = new PolicyPairs(asked.before, asked.after);
  const { cut, before } = await look(ports, { ...asked, findings, pairs });
  const { withoutFacts, older } = await countUntriedCalls(ports.db, before);
  const { changes, byClass, byAgent } = findings.tally.result();
  const examples: readonly TrialExample[] = findings.examples.chosen();
  return {
    since: new Date(asked.now.getTime() - TRIAL_DAYS * DAY_MS).toISOString(),
    until: asked.now.toISOString(),
    looked_at: findings.lookedAt,
    judged: findings.judged,
    changed: findings.changed,
    // A limit that only just holds all calls cuts nothing.
    cut: older === 0 ? null : cut,
    not_judged: {
      older,
      without_facts: withoutFacts,
      run_gone: findings.runGone,
      agent_gone: findings.agentGone,
    },
    changes: [...changes],
    by_class: [...byClass],
    by_agent: byAgent.slice(0, TRIAL_ROWS_MAX),
    examples: [...examples],
    took_ms: Math.round(ports.monotonicMs() - beganMs),
  };
}
