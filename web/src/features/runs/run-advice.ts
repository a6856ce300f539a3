import type { Role, RunError } from '@hamlet/contract';

/**
 * The help after a failure. `admin`: only an admin can do it, and the text continues "You can" or "Ask an admin to".
 * `cause` replaces a message that describes the village at the time of the failure.
 */
type Advice = Readonly<{ by: 'reader' | 'admin'; text: string; tokens?: true; cause?: string }>;

const reader = (text: string): Advice => ({ by: 'reader', text });
const admin = (text: string): Advice => ({ by: 'admin', text });
const REST = reader('Ask for the rest in a new message, which has new limits.');
const LOOK = reader('Its commands and their output are on the page of the run.');

const ADVICE: Readonly<Record<string, Advice | undefined>> = {
  budget_steps: REST,
  budget_tokens: REST,
  budget_money: reader('The work became too expensive. Divide the task, or reward the agent.'),
  budget_time: REST,
  no_progress: reader('The agent repeated itself. Say more exactly what you need.'),
  no_model: admin('connect a model, or choose another one.'),
  model_token_quota_exhausted: { by: 'reader', text: 'Write again then, or add tokens.', tokens: true },
  model_insufficient_funds: reader('A reward gives the agent aiDollars.'),
  model_village_frozen: {
    by: 'reader',
    text: 'Write again once the freeze is lifted.',
    cause: 'A freeze of the village ended the run.',
  },
  model_model_not_in_tier: admin('choose another model, or another tier.'),
  model_model_not_served: admin('connect the model, or choose another one.'),
  model_context_too_long: reader('Begin a new conversation.'),
  model_auth: admin('renew the key of the model, which its provider refused.'),
  model_forbidden: admin('give the key of the model the right to use it, in the account at its provider.'),
  model_no_such_model: admin("correct the provider's name for the model."),
  model_quota: admin('renew the credit at the provider of the model, which is used up.'),
  model_rate: reader('The model has too many requests. Write again in a minute.'),
  model_overloaded: reader('The model is overloaded. Write again in a minute.'),
  model_unreachable: admin('check the address of the model, and that its server runs: nothing answers there.'),
  model_network: reader('The model was too slow, or the connection broke. Write again in a minute.'),
  run_did_nothing: reader('Say more exactly what you need.'),
  // The messages of these codes already contain the fix.
  tests_keep_failing: LOOK,
  network_keeps_timing_out: LOOK,
  shared_branch_forced: LOOK,
  access_denied: LOOK,
  disk_full: LOOK,
};
const UNKNOWN = reader('Write again, or look at the run.');

/** The cause of a failure, and the person who can mend it: `The model answered 401. Ask an admin to renew the key.` */
export function failureSentence({ code, message }: RunError, role: Role): string {
  const { by, text, cause = message } = ADVICE[code] ?? UNKNOWN;
  const advice = by === 'reader' ? text : `${role === 'admin' ? 'You can' : 'Ask an admin to'} ${text}`;
  return `${sentence(cause)} ${advice}`;
}

/** True if more tokens an hour for the agent would help. */
export function tokensHelp(error: Pick<RunError, 'code'> | null): boolean {
  return error !== null && ADVICE[error.code]?.tokens === true;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text.trimEnd()) ? text : `${text}.`;
}
