/** A failure that the model reads: a stable code, and a message with the cause and the fix. */
export class NetFault extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Prefixes of the broker's codes; no other text of a server becomes a code. */
const EGRESS_CODE = /^egress_[a-z_]{1,40}$/;
const MESSAGE_MAX_CHARS = 400;

/** The refusal of the broker, by its status and the body of its answer. Pure. */
export function refusalIn(status: number, body: string): NetFault {
  try {
    const { reason, message } = JSON.parse(body) as { reason?: unknown; message?: unknown };
    if (typeof reason === 'string' && EGRESS_CODE.test(reason))
      return new NetFault(reason, String(message ?? '').slice(0, MESSAGE_MAX_CHARS));
  } catch {
    // The body is not the broker's.
  }
  return new NetFault('egress_refused', `The proxy of the pod answered with the status ${status}`);
}

const UNREACHED: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name is unknown here: the pod has no way out of the village',
  EAI_AGAIN: 'the name is unknown here: the pod has no way out of the village',
  ECONNREFUSED: 'nothing listens at this address',
  ECONNRESET: 'the server ended the connection',
  EPIPE: 'the server ended the connection',
};

export function faultOf(error: unknown): NetFault {
  if (error instanceof NetFault) return error;
  if (!(error instanceof Error)) return new NetFault('unreachable', String(error));
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return new NetFault('timed_out', 'The server took too long. Try again, or ask for less');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const why = UNREACHED[code] ?? (error.message || code);
  return new NetFault('unreachable', `The server cannot be reached: ${why.slice(0, MESSAGE_MAX_CHARS)}`);
}
