import { TRIAL_CALLS_MAX, TRIAL_MS_MAX, type PolicyTrial, type tryPolicy as tryRoute } from '@hamlet/contract';
import { plain, type Handlers, type RequestOf } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { RateLimiter, refusalOfVerdict, type RatePolicy } from '../../http/rate-limit.ts';
import { proposedPolicy, rulesOfLayer } from './proposed-policy.ts';
import { readRules, setRules } from './set-rules.ts';
import { runTrial, type TrialLimits } from './run-trial.ts';
import type { Village } from '../../village.ts';

const RATE: RatePolicy = { name: 'trials', quota: 30, windowS: 60 };
const LIMITS: TrialLimits = { calls: TRIAL_CALLS_MAX, ms: TRIAL_MS_MAX };
const RETRY_S = 2;

/** Routes that read the village's rules and try proposed ones. A replica runs one trial at a time. */
export function trialHandlers(village: Village) {
  const { policyOf, classesOf, monotonicMs, log } = village;
  const limiter = new RateLimiter();
  let isUnderWay = false;

  async function tryProposal({ body, actor, now }: RequestOf<typeof tryRoute>): Promise<Outcome<PolicyTrial>> {
    const proposed = await proposedPolicy(village, { proposal: body, classesInForce: classesOf });
    if (!proposed.ok) return proposed;
    const reader = { role: actor.role, id: actor.id };
    const policies = { before: policyOf, after: proposed.data };
    const trial = await runTrial(village, { ...policies, reader, limits: LIMITS, now });
    const { looked_at: calls, changed, took_ms: tookMs } = trial;
    log('info', 'rules were tried', { of: body.of, calls, changed, tookMs });
    return accepted(trial);
  }

  return {
    getPolicy: plain(async ({ query }) => {
      const layer = rulesOfLayer(village, query);
      if (layer === null) return accepted(await readRules(village));
      return layer.ok ? accepted({ in_force: layer.data, village: null }) : layer;
    }),
    setVillageRules: plain((request) => setRules(village, request)),
    tryPolicy: plain(async (request) => {
      const verdict = limiter.take(request.actor.id, RATE, monotonicMs());
      if (!verdict.allowed) return refusalOfVerdict(verdict);
      if (isUnderWay) return refused('trial_under_way', undefined, RETRY_S);
      isUnderWay = true;
      try {
        return await tryProposal(request);
      } finally {
        isUnderWay = false;
      }
    }),
  } satisfies Partial<Handlers>;
}
