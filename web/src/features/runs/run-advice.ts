import { isProviderFailure, LIMIT_CODES, modelFailure, type Role, type RunError } from '@hamlet/contract';
import { capital } from '../../client/labels.ts';

/** The help after a failure. `admin`: only an admin can do it, and the text continues "You can" or "Ask an admin to". */
type Advice = Readonly<{ by: 'reader' | 'admin'; text: string }>;

const reader = (text: string): Advice => ({ by: 'reader', text });
const admin = (text: string): Advice => ({ by: 'admin', text });
const REST = reader('The work can be continued with new limits.');
const LOOK = reader('Its commands and their output are on the page of the run.');

const ADVICE: Readonly<Record<string, Advice | undefined>> = {
  budget_steps: REST,
  budget_tokens: REST,
  budget_money: reader('The work became too expensive. Divide the task, or reward the agent.'),
  budget_time: REST,
  no_progress: reader('The agent repeated itself. Say more exactly what you need.'),
  no_model: admin('connect a model, or choose another one.'),
  acp_misconfigured: admin('correct spec.runtime of the agent; then give it the work again.'),
  acp_not_started: admin('check that the tier of the agent has enough memory for such a program, about 1 GiB.'),
  run_did_nothing: reader('Say more exactly what you need.'),
  config_error: reader('Correct the manifests of the agent, and start another run.'),
  no_such_task: reader('Start another run from the beginning.'),
  output_not_valid: reader('Say in the task what each field means, or ask for a simpler form.'),
  // The messages of these codes already contain the fix.
  tests_keep_failing: LOOK,
  network_keeps_timing_out: LOOK,
  shared_branch_forced: LOOK,
  access_denied: LOOK,
  disk_full: LOOK,
};
const UNKNOWN = reader('Write again, or look at the run.');
const OF_MODEL = 'model_';

/** The code of a failure of the run's model; null for another failure. */
const modelCode = (code: string): string | null => (code.startsWith(OF_MODEL) ? code.slice(OF_MODEL.length) : null);

function adviceOf(code: string): Advice {
  const failure = modelFailure(modelCode(code) ?? '');
  if (failure === null) return ADVICE[code] ?? UNKNOWN;
  const { fix, advice } = failure;
  return advice === undefined ? admin(`${fix}.`) : reader(advice);
}

/** The cause of a failure, and the person who can mend it: `The provider refuses the key. Ask an admin to store a valid key.` */
export function failureSentence({ code, message }: RunError, role: Role): string {
  const { by, text } = adviceOf(code);
  const advice = by === 'reader' ? text : `${role === 'admin' ? 'You can' : 'Ask an admin to'} ${text}`;
  return `${sentence(causeOf({ code, message }))} ${advice}`;
}

/** The class of a provider's failure says more than the agent's message. Other refusals have more detail; that of a freeze may be outdated. */
function causeOf({ code, message }: RunError): string {
  const ofModel = modelCode(code) ?? '';
  const isClass = isProviderFailure(ofModel) || ofModel === 'village_frozen';
  return isClass ? capital(modelFailure(ofModel)?.cause ?? message) : message;
}

/** True if more tokens an hour for the agent would help. */
export function tokensHelp(error: Pick<RunError, 'code'> | null): boolean {
  return error?.code === 'model_token_quota_exhausted';
}

/** True if the run ended at a limit of its own, so that another run can continue its work. */
export function endedAtLimit(error: Pick<RunError, 'code'> | null): boolean {
  return error !== null && LIMIT_CODES.includes(error.code);
}

const sentence = (text: string): string => (/[.!?…]$/.test(text.trimEnd()) ? text : `${text}.`);
