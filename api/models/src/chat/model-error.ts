/** The codes of all failures of a request to a model. The codes are stable. */
export const MODEL_ERROR_CODES = [
  'auth',
  'forbidden',
  'no_such_model',
  'quota',
  'rate',
  'context_too_long',
  'content_refused',
  'bad_request',
  'overloaded',
  'unreachable',
  'network',
  'bad_answer',
  'cancelled',
] as const;
export type ModelErrorCode = (typeof MODEL_ERROR_CODES)[number];

/**
 * The person or party that can mend a failure: the admin of the village, the owner of the account at the provider, the provider itself with
 * time, or the caller with another request.
 */
export type Mender = 'admin' | 'account' | 'provider' | 'caller';

interface ErrorRule {
  readonly means: string;
  readonly mender: Mender;
  /** True if the same request to the same model may succeed later. */
  readonly retry: boolean;
  /** True if a fallback may answer instead; a route's `fallbackOn` overrides this. */
  readonly fallback: boolean;
}

/** A failure that only a person ends, so that a retry is useless. */
const PERMANENT = { retry: false, fallback: true } as const;
/** A failure that may end by itself. */
const PASSING = { retry: true, fallback: true } as const;
/** A failure that the same request meets everywhere. */
const OF_REQUEST = { mender: 'caller', retry: false, fallback: false } as const;

/** The table that decides about retries and fallbacks. */
export const MODEL_ERRORS: Readonly<Record<ModelErrorCode, ErrorRule>> = {
  auth: { means: 'the provider refuses the credential', mender: 'admin', ...PERMANENT },
  forbidden: { means: 'the credential may not use this model', mender: 'account', ...PERMANENT },
  no_such_model: { means: 'the provider has no model of this name', mender: 'admin', ...PERMANENT },
  quota: { means: 'the credit or quota of the credential is used up', mender: 'account', ...PERMANENT },
  rate: { means: 'the rate limit of requests or tokens is reached', mender: 'provider', ...PASSING },
  context_too_long: { means: 'the messages do not fit into the model', ...OF_REQUEST },
  content_refused: { means: 'the provider or the model refuses the content', ...OF_REQUEST },
  bad_request: { means: 'the provider does not support this request', ...OF_REQUEST },
  overloaded: { means: 'the provider fails or has no capacity', mender: 'provider', ...PASSING },
  unreachable: { means: 'no server answers at the address of the provider', mender: 'admin', ...PASSING },
  network: { means: 'the connection failed, was cut, or was too slow', mender: 'provider', ...PASSING },
  bad_answer: { means: 'the answer breaks the protocol or a limit', mender: 'provider', ...PERMANENT },
  cancelled: { means: 'the caller cancelled the request', ...OF_REQUEST },
};

/** An expected failure of a request. `message` holds no credential. */
export interface ModelError {
  readonly code: ModelErrorCode;
  readonly message: string;
  readonly provider: string;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The field of the request that the provider does not support. */
  readonly field?: string | undefined;
}

export type FaultDetail = Pick<ModelError, 'status' | 'retryAfterMs' | 'field'>;

/** Carries a failure from an adapter to the model, which returns it as a value. It never leaves the package. */
export class ModelFault extends Error {
  readonly code: ModelErrorCode;
  readonly detail: FaultDetail;

  constructor(code: ModelErrorCode, message: string, detail: FaultDetail = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

const CAUSES_MAX = 4;

/** The fault in a chain of causes, because providers' clients wrap errors of their transport. Null if there is none. */
export function faultIn(thrown: unknown): ModelFault | null {
  let current = thrown;
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth += 1) {
    if (current instanceof ModelFault) return current;
    current = current.cause;
  }
  return null;
}
