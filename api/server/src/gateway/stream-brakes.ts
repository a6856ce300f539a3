import { FLAG_OF_MEASURE, MEASURES } from '@hamlet/contract';
import { FollowingAbort } from '@hamlet/models';
import type { FreezeCache } from '../freeze/freeze-cache.ts';
import { refused, type Refused } from '../http/outcome.ts';
import type { DeltaPublisher } from '../runs/run-deltas.ts';
import { CODE_OF_MEASURE } from '../standing/bar-refusal.ts';
import type { StandingCache } from '../standing/standing-cache.ts';

export interface OpenBrake {
  readonly signal: AbortSignal;
  /** The refusal with the reason why the answer was cut off; null while the request may continue. */
  readonly refusal: () => Refused | null;
  readonly close: () => void;
}

const FROZEN = refused(
  'village_frozen',
  'The village was frozen while the model answered; the agent pays only for the text so far',
);

const RUN_OVER = refused(
  'run_settled',
  'The run was cancelled, has ended or lost its lease while the model answered; the agent pays for the tokens so far',
);

class AgentBrakes {
  readonly #open = new Map<string, Set<(refusal: Refused) => void>>();

  add(agentId: string, stop: (refusal: Refused) => void): () => void {
    const stops = this.#open.get(agentId) ?? new Set();
    this.#open.set(agentId, stops.add(stop));
    return () => {
      stops.delete(stop);
      if (stops.size === 0 && this.#open.get(agentId) === stops) this.#open.delete(agentId);
    };
  }

  stop(agentId: string, refusal: Refused): void {
    for (const stop of this.#open.get(agentId) ?? []) stop(refusal);
  }
}

export interface BrakePorts {
  readonly freeze: Pick<FreezeCache, 'signal'>;
  readonly standing: Pick<StandingCache, 'get' | 'onChange'>;
}

export function startStreamBrakes({ freeze, standing }: BrakePorts) {
  const brakes = new AgentBrakes();
  standing.onChange((agentIds) => {
    for (const agentId of agentIds) {
      const flags = standing.get(agentId);
      const measure = MEASURES.find((each) => flags[FLAG_OF_MEASURE[each]]);
      if (measure !== undefined)
        brakes.stop(
          agentId,
          refused(
            CODE_OF_MEASURE[measure],
            `A measure against ${agentId} ended this answer; the agent pays only for the tokens so far`,
          ),
        );
    }
  });
  return {
    /** @param run publishes the answer to the run that the request serves; the brake closes it. */
    open: (agentId: string, run: DeltaPublisher | null) => {
      const frozen = freeze.signal();
      const abort = new FollowingAbort(run === null ? [frozen] : [frozen, run.signal]);
      let refusal: Refused | null = null;
      const remove = brakes.add(agentId, (why) => {
        refusal ??= why;
        abort.abort();
      });
      return {
        signal: abort.signal,
        refusal: () => refusal ?? (frozen.aborted ? FROZEN : run?.signal.aborted === true ? RUN_OVER : null),
        close: () => {
          remove();
          abort.leave();
          run?.close();
        },
      };
    },
  };
}

export type StreamBrakes = ReturnType<typeof startStreamBrakes>;
