export type PayPalMode = 'sandbox' | 'live';

/** Everything of PayPal that a village speaks to, and who signs its notifications. */
export interface PayPalHosts {
  /** Where the village asks. */
  readonly api: string;
  /** Where signing certificates may be; exact names. */
  readonly certificates: ReadonlySet<string>;
  /** The common name of a signing certificate. */
  readonly signer: string;
}

export const PAYPAL_HOSTS: Readonly<Record<PayPalMode, PayPalHosts>> = {
  sandbox: {
    api: 'api-m.sandbox.paypal.com',
    certificates: new Set(['api.sandbox.paypal.com', 'api-m.sandbox.paypal.com']),
    signer: 'messageverificationcerts.sandbox.paypal.com',
  },
  live: {
    api: 'api-m.paypal.com',
    certificates: new Set(['api.paypal.com', 'api-m.paypal.com']),
    signer: 'messageverificationcerts.paypal.com',
  },
};

const CERT_PATH = /^\/v1\/notifications\/certs\/[A-Za-z0-9._-]{1,100}$/;

/** A certificate's place: a host of the list and a path. */
export interface CertificatePlace {
  readonly host: string;
  readonly path: string;
}

/**
 * Where a notification says that its certificate is, which whoever sent it wrote: null unless it is https on one of the very hosts, with nothing else in
 * it (no user, port, query or fragment). Pure.
 */
export function certificatePlace(text: string, { certificates }: PayPalHosts): CertificatePlace | null {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || !certificates.has(url.hostname) || !CERT_PATH.test(url.pathname))
    return null;
  // What a parser understood and what was written must be the same, or another parser understands something else.
  return text === `https://${url.hostname}${url.pathname}` ? { host: url.hostname, path: url.pathname } : null;
}
