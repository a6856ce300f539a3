import type { TrialExample, TrialVerdict } from '@hamlet/contract';
import type { Judged, JudgedFacts } from '@hamlet/core';
import type { JudgedCallRow } from '@hamlet/store';

export function factsOf(row: JudgedCallRow, brokerAsks: boolean): JudgedFacts {
  const { tool, toolClass, classes, unclear, taintSource, taintDetail, byRule, judgedAt } = row;
  const mark = { call_id: null, run_id: null, at: judgedAt.toISOString() };
  const taint = taintSource === null ? null : { ...mark, source: taintSource, detail: taintDetail ?? '' };
  return { tool, toolClass, classes, unclear, taint, byRule, brokerAsks };
}

const verdictView = ({ verdict, reason, rule }: Judged): TrialVerdict => ({ verdict, reason, rule: rule ?? null });

export function exampleOf(row: JudgedCallRow, before: Judged, after: Judged): TrialExample {
  return {
    run_id: row.runId,
    call_id: row.callId,
    agent_id: row.agentId,
    at: row.judgedAt.toISOString(),
    tool: row.tool,
    words: row.words,
    before: verdictView(before),
    after: verdictView(after),
    answer: row.answer,
  };
}
