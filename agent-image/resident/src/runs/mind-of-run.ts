import type { AgentConfig, Run } from '@hamlet/contract';
import { isForeign, mindLabel, mindOfRuntime } from '@hamlet/core/mind';
import { WORKFLOW_RUNTIME } from '../engine/booked-workflow.ts';
import { runtimeNameOf, type Obtained } from '../runtime/runtime-pool.ts';

/** The configuration for a run. `lost`: why no runtime can carry it out; null if one can. */
export type RunMind = Readonly<{ config: AgentConfig; lost: Extract<Obtained, { ok: false }> | null }>;

/**
 * A run ends with the runtime that began it, even if its Agent has named another since: only that one can read what it has done. A
 * worker has its parent's engine. A workflow, and its stages, need none of the agent's own minds. The program of a replaced mind is gone, so its run fails; so does a run that may change nothing, because
 * no rule holds back the tools of a program. Pure.
 */
export function mindOfRun(
  config: AgentConfig,
  run: Pick<Run, 'runtime' | 'worker' | 'safe_mode' | 'workflow'>,
): RunMind {
  if (run.workflow !== undefined || run.worker?.stage !== undefined)
    return { config: { ...config, runtime: { name: WORKFLOW_RUNTIME, named: true, config: {} } }, lost: null };
  const begun = run.worker === undefined ? run.runtime : 'engine';
  const now = runtimeNameOf(config);
  if (begun === null || begun === now) return { config, lost: run.safe_mode === undefined ? null : unsafeMind(now) };
  const mind = mindOfRuntime(begun);
  if (!isForeign(mind)) return { config: { ...config, runtime: { name: begun, named: true, config: {} } }, lost: null };
  const message = `The agent's mind changed from ${mindLabel(mind)} to ${mindLabel(mindOfRuntime(now))} during this work, and the new one cannot continue it. Check what was done, then give the work again.`;
  return { config, lost: { ok: false, name: begun, mind, warning: { code: 'mind_changed', message } } };
}

function unsafeMind(name: string): RunMind['lost'] {
  const mind = mindOfRuntime(name);
  if (!isForeign(mind)) return null;
  const message = `This run may change nothing, and ${mindLabel(mind)} has tools of its own, which no rule holds back. Give the run to an agent with Hamlet's engine, or without the mode.`;
  return { ok: false, name, mind, warning: { code: 'safe_mode_not_kept', message } };
}
