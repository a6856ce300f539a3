import type { AgentConfig } from '@hamlet/contract';
import { backoff } from '@hamlet/core/backoff';
import type { Log } from './json-log.ts';
import { API_BACKOFF } from '../village/retry.ts';
import type { Answer, Village } from '../village/village.ts';

/** Reads the agent's configuration, and its cycle if the environment does not set one. */
export async function introduce(
  village: Village,
  givenCycle: number | undefined,
): Promise<Answer<{ config: AgentConfig; cycle: number }>> {
  const config = await village.config();
  if (config.kind !== 'ok') return config;
  if (givenCycle !== undefined) return { kind: 'ok', value: { config: config.value, cycle: givenCycle } };
  const standing = await village.standing();
  return standing.kind === 'ok'
    ? { kind: 'ok', value: { config: config.value, cycle: standing.value.cycle } }
    : standing;
}

interface RepeatPorts {
  readonly log: Log;
  readonly random: () => number;
  readonly rest: (ms: number) => Promise<void>;
  readonly stop: AbortSignal;
}

/** Repeats a request until it succeeds, even after a refusal, because the API may not know the Agent yet. */
export async function untilAnswered<T>(
  ask: () => Promise<Answer<T>>,
  { log, rest, random, stop }: RepeatPorts,
): Promise<T | 'stale' | 'stopped'> {
  for (let failures = 1; !stop.aborted; failures += 1) {
    const answer = await ask();
    if (answer.kind === 'ok') return answer.value;
    if (answer.kind === 'stale') return 'stale';
    const why = answer.kind === 'refused' ? `${answer.code}: ${answer.detail}` : answer.why;
    log.warn('unreachable', { why, failures });
    await rest(backoff(failures, API_BACKOFF, random()));
  }
  return 'stopped';
}
