/** The party that can mend a failure. `account`: the owner of the account at the provider. `provider`: waiting helps. `caller`: another request. */
export type ModelMender = 'admin' | 'account' | 'provider' | 'caller';

export interface ModelFailure {
  /** The cause, as a part of a sentence: `no server answers at this address`. */
  readonly cause: string;
  /** The next step of the person who can fix it, after "You can" or "Ask an admin to". */
  readonly fix: string;
  /** The next step of the person whose run or message failed; `fix` if left out. */
  readonly advice?: string;
}

interface ProviderFailure extends ModelFailure {
  readonly mender: ModelMender;
}

const SOON = 'Write again in a minute.';

/** Failures of a provider, by the class of the error. */
export const PROVIDER_FAILURES = {
  auth: {
    cause: 'the provider refuses the key',
    mender: 'admin',
    fix: 'store a valid key of this provider, and check that the key may use this model',
  },
  forbidden: {
    cause: 'the key may not use this model',
    mender: 'account',
    fix: 'give the key the right to use this model in the account at the provider, or choose another model',
  },
  no_such_model: {
    cause: 'the provider has no model of this name',
    mender: 'admin',
    fix: "correct the provider's name for the model",
  },
  quota: {
    cause: 'the account at the provider has no credit left',
    mender: 'account',
    fix: 'add credit or raise the limit of the account at the provider, or connect another provider',
  },
  rate: {
    cause: 'the provider limits the number of requests',
    mender: 'provider',
    fix: 'wait a minute and test again, or ask the provider for a higher limit',
    advice: SOON,
  },
  context_too_long: {
    cause: 'the text does not fit into the model',
    mender: 'caller',
    fix: "lower the context_tokens of the model: the provider's model takes fewer",
    advice: 'Begin a new conversation.',
  },
  content_refused: {
    cause: 'the provider refuses to answer this',
    mender: 'caller',
    fix: 'use another model: the provider refuses the text of the test',
    advice: 'Say it in other words.',
  },
  bad_request: {
    cause: 'the provider does not accept the request',
    mender: 'caller',
    fix: "check the provider's kind, its address (with /v1 if the server has it) and the provider's name for the model",
    advice: 'Write again, or look at the run.',
  },
  overloaded: {
    cause: 'the provider is overloaded or fails',
    mender: 'provider',
    fix: 'wait and test again, or read the logs of your own server',
    advice: SOON,
  },
  unreachable: {
    cause: 'no server answers at the address of the provider',
    mender: 'admin',
    fix: 'check that the address is right, that the server runs, and that the pods of the api can reach it',
  },
  network: {
    cause: 'the provider was too slow, or the connection broke',
    mender: 'provider',
    fix: 'read the logs of the server, and test again',
    advice: SOON,
  },
  bad_answer: {
    cause: 'the answer of the provider cannot be read',
    mender: 'provider',
    fix: 'choose another kind of provider, or correct the address: the server does not use the protocol of this kind',
    advice: SOON,
  },
  cancelled: {
    cause: 'the provider did not answer in time',
    mender: 'caller',
    fix: 'test again, or choose a faster model',
    advice: SOON,
  },
} as const satisfies Readonly<Record<string, ProviderFailure>>;

/** Refusals of the village's own gateway. Their messages have more detail, such as the time at which tokens are free again. */
const GATEWAY_REFUSALS: Readonly<Record<string, ModelFailure | undefined>> = {
  token_quota_exhausted: {
    cause: 'its tokens for now are used up',
    fix: 'add tokens',
    advice: 'Write again then, or add tokens.',
  },
  insufficient_funds: {
    cause: 'the agent has too few aiDollars',
    fix: 'reward the agent',
    advice: 'A reward gives the agent aiDollars.',
  },
  village_frozen: {
    cause: 'the village was frozen',
    fix: 'lift the freeze',
    advice: 'Write again once the freeze is lifted.',
  },
  model_not_in_tier: {
    cause: 'the tier of the agent does not include the model',
    fix: 'choose another model, or another tier',
  },
  model_not_served: {
    cause: 'no provider serves the model',
    fix: 'connect the model, or choose another one',
  },
};

export const isProviderFailure = (code: string): code is keyof typeof PROVIDER_FAILURES =>
  Object.hasOwn(PROVIDER_FAILURES, code);

/** The failure of a request to a model, by its code; null for an unknown code. */
export function modelFailure(code: string): ModelFailure | null {
  return isProviderFailure(code) ? PROVIDER_FAILURES[code] : (GATEWAY_REFUSALS[code] ?? null);
}
