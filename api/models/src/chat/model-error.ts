/** The codes of all failures of a request to a model. The codes are stable. */
export const MODEL_ERROR_CODES = [
  'auth',
  'quota',
  'rate',
  'context_too_long',
  'content_refused',
  'bad_request',
  'overloaded',
  'network',
  'bad_answer',
  'cancelled',
] as const;
export type ModelErrorCode = (typeof MODEL_ERROR_CODES)[number];

interface ErrorRule {
  readonly means: string;
  /** True if the same request to the same model may succeed later. */
  readonly retry: boolean;
  /** True if a fallback may answer instead; a route's `fallbackOn` overrides this. */
  readonly fallback: boolean;
}

/** The table that decides about retries and fallbacks. */
export const MODEL_ERRORS: Readonly<Record<ModelErrorCode, ErrorRule>> = {
  auth: { means: 'the provider refuses the credential', retry: false, fallback: true },
  quota: { means: 'the credit or quota of the credential is used up', retry: false, fallback: true },
  rate: { means: 'the rate limit of requests or tokens is reached', retry: true, fallback: true },
  context_too_long: { means: 'the messages do not fit into the model', retry: false, fallback: false },
  content_refused: { means: 'the provider or the model refuses the content', retry: false, fallback: false },
  bad_request: { means: 'the provider does not support this request', retry: false, fallback: false },
  overloaded: { means: 'the provider fails or has no capacity', retry: true, fallback: true },
  network: { means: 'the connection failed, was cut, or was too slow', retry: true, fallback: true },
  bad_answer: { means: 'the answer breaks the protocol or a limit', retry: false, fallback: true },
  cancelled: { means: 'the caller cancelled the request', retry: false, fallback: false },
};

/** An expected failure of a request. `message` holds no credential. */
export interface ModelError {
  readonly code: ModelErrorCode;
  readonly message: string;
  readonly provider: string;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

export type FaultDetail = Pick<ModelError, 'status' | 'retryAfterMs'>;

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
