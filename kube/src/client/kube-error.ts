/** A field of an object that the API server refuses, with its message. */
interface FieldCause {
  readonly field: string;
  readonly message: string;
}

/**
 * The API server refused a request. `reason` is the server's word: `NotFound`, `AlreadyExists`, `Conflict`, `Expired` … `causes` are the invalid
 * fields of an object, at most 20.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly causes: readonly FieldCause[];

  constructor(fields: {
    readonly status: number;
    readonly reason: string;
    readonly message: string;
    readonly retryAfterMs?: number | undefined;
    readonly causes?: readonly FieldCause[];
  }) {
    super(fields.message);
    this.status = fields.status;
    this.reason = fields.reason;
    this.retryAfterMs = fields.retryAfterMs;
    this.causes = fields.causes ?? [];
  }
}

interface StatusBody {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown; readonly causes?: unknown };
}

const text = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;

const CAUSES_MAX = 20;

function causesOf(causes: unknown): readonly FieldCause[] {
  if (!Array.isArray(causes)) return [];
  return causes.slice(0, CAUSES_MAX).flatMap((cause: unknown) => {
    const { field, message } = Object(cause) as { readonly field?: unknown; readonly message?: unknown };
    return typeof field === 'string' && typeof message === 'string' ? [{ field, message }] : [];
  });
}

/** The error of a `Status` object, from a response or from an ERROR event of a watch. */
export function errorOfStatus(body: StatusBody, httpStatus?: number): KubeError {
  const status = httpStatus ?? (typeof body.code === 'number' ? body.code : 500);
  const seconds = body.details?.retryAfterSeconds;
  return new KubeError({
    status,
    reason: text(body.reason, 'Unknown'),
    message: text(body.message, `HTTP ${status}`),
    retryAfterMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : undefined,
    causes: causesOf(body.details?.causes),
  });
}

/** The error of a response other than 2xx. `retryAfter` is the header, in seconds. */
export function errorOfAnswer(status: number, bodyText: string, retryAfter: string | undefined): KubeError {
  const error = errorOfStatus(parsed(bodyText), status);
  const seconds = Number(retryAfter);
  if (error.retryAfterMs !== undefined || !(seconds > 0)) return error;
  const { reason, message, causes } = error;
  return new KubeError({ status, reason, message, causes, retryAfterMs: seconds * 1_000 });
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
