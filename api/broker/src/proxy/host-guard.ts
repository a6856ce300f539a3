import { EGRESS_SUMMARY_MAX_CHARS } from '@hamlet/contract/broker';
import type { EgressPolicy } from '@hamlet/contract';
import { deny, isAskableHost, ruleOfOpenedHost, type Destination, type EgressDenial } from '@hamlet/core/egress';
import type { Village } from '../village.ts';
import type { Caller } from './caller.ts';
import { keepEnds, visible } from './shown-text.ts';

/** A request to a host, and what ends when its program hangs up. */
interface ClosedHost {
  readonly caller: Caller;
  readonly destination: Destination;
  /** The request in one line; the agent wrote parts. */
  readonly summary: string;
  readonly closes: {
    once(event: 'close', listener: () => void): unknown;
    off(event: 'close', listener: () => void): unknown;
    readonly destroyed: boolean;
  };
}

const UNASKED = deny('egress_log_unavailable', 'the broker cannot ask the API about this host; try again in a minute');

/**
 * Asks an admin to open a host that no rule opens. Answers the agent's rules with one more, which holds for this request
 * alone: the next one asks the API again, which remembers the answer until the run ends. Never rejects.
 */
export async function askForHost(
  village: Pick<Village, 'permitHost'>,
  { caller, destination, summary, closes }: ClosedHost,
  denial: EgressDenial,
): Promise<EgressPolicy | EgressDenial> {
  const { admission, identity } = caller;
  const { run, call } = identity;
  if (denial.code !== 'egress_not_allowed' || run === null || !isAskableHost(destination)) return denial;
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  closes.once('close', stop);
  if (closes.destroyed) stop();
  const asked = { admission, run, call, destination, summary: keepEnds(visible(summary), EGRESS_SUMMARY_MAX_CHARS) };
  const answer = await village
    .permitHost(asked, gone.signal)
    .catch(() => UNASKED)
    .finally(() => closes.off('close', stop));
  if (answer !== 'allowed') return answer.code === 'egress_no_run' ? denial : answer;
  return { ...admission.policy, allow: [...admission.policy.allow, ruleOfOpenedHost(destination)] };
}
