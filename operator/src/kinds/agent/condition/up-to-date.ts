import { podOfCycle, type Observed } from '../views.ts';
import { FAILURES_MAX, TURN_MS } from '../pod/upgrade-turn.ts';
import type { Verdict } from './verdict.ts';

const no = (reason: Verdict['reason'], message: string): Verdict => ({ status: 'False', reason, message });

/** `UpToDate`: whether the pod is as pods are made now, and what keeps it from being replaced where it is not. */
export function upToDateVerdict(observed: Observed): Verdict {
  const { agent, refusal, upgrade } = observed;
  const pod = podOfCycle(observed, agent.status.cycle ?? 0);
  if (pod !== undefined && refusal !== undefined)
    return no(refusal.reason, `pod ${pod.metadata.name} stays: ${refusal.message}`);
  if (upgrade === 'halted')
    return no(
      'RolloutHalted',
      `${FAILURES_MAX} agents in a row were not ready ${TURN_MS / 1_000} s after they got the new image or compute: all others keep their pods until one of them is`,
    );
  if (upgrade !== 'none')
    return no(
      'ReplacementPending',
      'the village has another image or compute for agents: the pod is made anew when it is its turn',
    );
  return { status: 'True', reason: 'UpToDate', message: 'the pod is as pods of agents are made now' };
}
