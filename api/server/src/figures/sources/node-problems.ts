import type { NodeFigures } from '@hamlet/contract';
import { TooLongError } from '../../service/bounded-body.ts';

type Problem = NonNullable<NodeFigures['problem']>;

export const PROBLEMS = {
  unreachable: {
    reason: 'unreachable',
    fix: 'The kubelet did not answer within 5 s: check the node, and that pods reach its port 10250',
  },
  untrusted: {
    reason: 'untrusted',
    fix: "The certificate of the kubelet is not from the cluster's CA, or is not for this node: set figures.kubeletRootsSecretName of the chart, or serverTLSBootstrap of the kubelet",
  },
  forbidden: {
    reason: 'forbidden',
    fix: 'The kubelet refused the account hamlet-figures: run helm upgrade, which restores its rights',
  },
  unreadable: {
    reason: 'unreadable',
    fix: 'The API cannot read the answer of the kubelet: look in the log of the kubelet',
  },
} as const satisfies { readonly [R in Problem['reason']]: Problem & { readonly reason: R } };

/** Codes of OpenSSL for certificates, and of Node for names: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const OF_CERTIFICATES = /^(?:ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/;

/** The problem behind the status of an answer that has no summary, or behind an error of the connection. */
export function problemOf(failure: unknown): Problem {
  if (typeof failure === 'number') return failure === 401 || failure === 403 ? PROBLEMS.forbidden : PROBLEMS.unreadable;
  if (failure instanceof TooLongError) return PROBLEMS.unreadable;
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  return OF_CERTIFICATES.test(code) ? PROBLEMS.untrusted : PROBLEMS.unreachable;
}
