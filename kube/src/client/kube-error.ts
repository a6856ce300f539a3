/** The API server refused a request. `reason` is the server's word: `NotFound`, `AlreadyExists`, `Conflict`, `Expired` … */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;

  constructor(fields: {
    readonly status: number;
    readonly reason: string;
    readonly message: string;
    readonly retryAfterMs?: number | undefined;
  }) {
    super(fields.message);
    this.status = fields.status;
    this.reason = fields.reason;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

interface StatusBody {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown };
}

const text = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;

/** The error of a `Status` object, from a response or from an ERROR event of a watch. */
export function errorOfStatus(body: StatusBody, httpStatus?: number): KubeError {
  const status = httpStatus ?? (typeof body.code === 'number' ? body.code : 500);
  const seconds = body.details?.retryAfterSeconds;
  return new KubeError({
    status,
    reason: text(body.reason, 'Unknown'),
    message: text(body.message, `HTTP ${status}`),
    retryAfterMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : undefined,
  });
}

/** The error of a response other than 2xx. `retryAfter` is the header, in seconds. */
export function errorOfAnswer(status: number, bodyText: string, retryAfter: string | undefined): KubeError {
  const error = errorOfStatus(parsed(bodyText), status);
  const seconds = Number(retryAfter);
  if (error.retryAfterMs !== undefined || !(seconds > 0)) return error;
  return new KubeError({ status, reason: error.reason, message: error.message, retryAfterMs: seconds * 1_000 });
}

function parsed(bodyText: string): StatusBody {
  try {
    const body: unknown = JSON.parse(bodyText);
    return typeof body === 'object' && body !== null ? body : { message: bodyText.slice(0, 500) };
  } catch {
    return { message: bodyText.slice(0, 500) };
  }
}

export function isStatus(error: unknown, status: number): error is KubeError {
  return error instanceof KubeError && error.status === status;
}
