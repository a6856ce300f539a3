import { CHAIN, firstUnmet, type Need } from '@hamlet/contract';
import { shorten } from '@hamlet/core';
import type { AgentRecord } from '../agents/agent-source.ts';
import { agentPage } from './web-links.ts';

/** Starts and short failures end within this time. */
const BLOCKED_AFTER_MS = 120_000;
const LINE_MAX_CHARS = 240;

/** States that a person or the spec chose. */
const DECIDED: ReadonlySet<string> = new Set(['Asleep', 'Quarantined', 'Frozen', 'Banned', 'Killed', 'TokenRevoked']);

/** The need of an agent that should run but has not for two minutes; null for other agents. Pure. */
export function blockedNeed({ agentId, spec, status, deleting }: AgentRecord, nowMs: number): Need | null {
  if (deleting || spec.power === 'Asleep') return null;
  const conditions = new Map((status.conditions ?? []).map((condition) => [condition.type, condition]));
  const unmet = firstUnmet(CHAIN.flatMap((type) => conditions.get(type) ?? []));
  if (unmet === undefined || DECIDED.has(unmet.reason)) return null;
  if (nowMs - Date.parse(unmet.lastTransitionTime) < BLOCKED_AFTER_MS) return null;
  return {
    kind: 'blocked',
    id: agentId,
    agent_id: agentId,
    since: unmet.lastTransitionTime,
    line: shorten(`cannot run (${unmet.reason}): ${unmet.message}`, LINE_MAX_CHARS),
    link: agentPage(agentId, 'now'),
    remedy: null,
  };
}
