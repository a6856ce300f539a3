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

interface ErrorRule {
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
const OF_REQUEST = { retry: false, fallback: false } as const;

/** The table that decides about retries and fallbacks. */
export const MODEL_ERRORS: Readonly<Record<ModelErrorCode, ErrorRule>> = {
  auth: PERMANENT,
  forbidden: PERMANENT,
  no_such_model: PERMANENT,
  quota: PERMANENT,
  rate: PASSING,
  context_too_long: OF_REQUEST,
  content_refused: OF_REQUEST,
  bad_request: OF_REQUEST,
  overloaded: PASSING,
  unreachable: PASSING,
  network: PASSING,
  bad_answer: PERMANENT,
  cancelled: OF_REQUEST,
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
