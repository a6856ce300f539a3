import { ModelFault } from '../chat/model-error.ts';

/** The system's codes for a server that no connection reaches, with their causes. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ENOTFOUND: 'the name of the host is unknown',
  EAI_AGAIN: 'the name server does not answer',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to its network',
  EHOSTDOWN: 'the host is down',
  ETIMEDOUT: 'the host does not answer',
  EADDRNOTAVAIL: 'there is no route to the host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the authority of its certificate is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the authority of its certificate is unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

const CAUSES_MAX = 4;

/** The innermost errors: `fetch failed` alone does not name the cause, nor does the error for all addresses of a host. */
function rootOf(thrown: unknown, depth = 0): { readonly code: string; readonly message: string } {
  if (!(thrown instanceof Error)) return { code: '', message: String(thrown) };
  const inner: unknown = thrown instanceof AggregateError ? (thrown.errors as readonly unknown[])[0] : thrown.cause;
  if (inner instanceof Error && depth < CAUSES_MAX) return rootOf(inner, depth + 1);
  const code: unknown = 'code' in thrown ? thrown.code : '';
  return { code: typeof code === 'string' ? code : '', message: thrown.message };
}

/** The fault for an error of the connection: `unreachable` if there never was one, else `network`. Pure. */
export function connectionFault(thrown: unknown): ModelFault {
  const { code, message } = rootOf(thrown);
  const cause = UNREACHABLE[code];
  return cause === undefined
    ? new ModelFault('network', `the connection failed: ${message}`)
    : new ModelFault('unreachable', `the server cannot be reached: ${cause} (${message})`);
}
