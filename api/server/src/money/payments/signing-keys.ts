import { X509Certificate, type KeyObject } from 'node:crypto';
import { pemCertificates } from './payments-config.ts';
import { certificatePlace, type PayPalHosts } from './paypal-client.ts';
import type { CallHttps } from './https-call.ts';

const CERTIFICATE_MAX_BYTES = 64 * 1_024;
const CHAIN_MAX = 6;
const CACHED_MAX = 32;
/** Keys stay in the cache for this time, so the API notices a withdrawn certificate at most this much later. */
const CACHED_MS = 6 * 3_600_000;

export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/** PayPal's answers for a certificate that does not exist: 404, and 400 for some names. */
const NOT_THERE: ReadonlySet<number> = new Set([400, 404, 410]);

/** PayPal has no certificate at the address, so the notification is forged. */
export class NoSuchCertificate extends Error {
  override readonly name = 'NoSuchCertificate';
}

function isValidAt(certificate: X509Certificate, now: Date): boolean {
  return certificate.validFromDate <= now && now <= certificate.validToDate;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function leadsToRoot(leaf: X509Certificate, others: readonly X509Certificate[], { roots, now }: Trust): boolean {
  let at = leaf;
  for (let length = 0; length < CHAIN_MAX; length += 1) {
    if (!isValidAt(at, now)) return false;
    const current = at;
    if (roots.some((root) => isIssuedBy(current, root) && isValidAt(root, now))) return true;
    const issuer = others.find(
      (other) => isIssuedBy(current, other) && other.fingerprint256 !== current.fingerprint256,
    );
    if (issuer === undefined) return false;
    at = issuer;
  }
  return false;
}

interface Trust {
  readonly roots: readonly X509Certificate[];
  readonly now: Date;
}

function parse(pem: string): readonly X509Certificate[] {
  try {
    return pemCertificates(pem).map((text) => new X509Certificate(text));
  } catch {
    return [];
  }
}

/** The key of a signing certificate. Throws CertificateError unless it has PayPal's name, is valid now and has a chain to a root. Pure. */
export function signingKey(
  pem: string,
  signer: string,
  trust: Trust,
): { readonly key: KeyObject; readonly until: Date } {
  const [leaf, ...others] = parse(pem);
  if (leaf === undefined) throw new CertificateError('the answer is not a certificate');
  if (!leaf.subject.split('\n').includes(`CN=${signer}`))
    throw new CertificateError('the certificate does not name the expected signer');
  if (leaf.ca || leaf.publicKey.asymmetricKeyType !== 'rsa')
    throw new CertificateError('the certificate is not a signing certificate');
  if (!leadsToRoot(leaf, others, trust))
    throw new CertificateError('the certificate has no chain to a trusted authority, or is out of date');
  return { key: leaf.publicKey, until: leaf.validToDate };
}

interface SigningKeysPorts {
  readonly call: CallHttps;
  readonly hosts: PayPalHosts;
  readonly roots: readonly X509Certificate[];
  readonly now: () => Date;
}

/** Loads the signing key from a certificate's address; null if the address is not PayPal's. Throws if the key cannot be loaded now. */
export type KeyOf = (certUrl: string) => Promise<KeyObject | null>;

export function createSigningKeys({ call, hosts, roots, now }: SigningKeysPorts): KeyOf {
  const cached = new Map<string, { readonly key: KeyObject; readonly untilMs: number }>();
  const fetching = new Map<string, Promise<KeyObject>>();

  async function fetchKey(
    certUrl: string,
    place: { readonly host: string; readonly path: string },
  ): Promise<KeyObject> {
    const answer = await call({ method: 'GET', ...place });
    if (NOT_THERE.has(answer.status)) throw new NoSuchCertificate('PayPal has no such certificate');
    if (answer.status !== 200)
      throw new CertificateError(`the request for the certificate was answered with ${answer.status}`);
    if (answer.body.length > CERTIFICATE_MAX_BYTES) throw new CertificateError('the certificate is too large');
    const { key, until } = signingKey(answer.body.toString('latin1'), hosts.signer, { roots, now: now() });
    if (cached.size >= CACHED_MAX) cached.clear();
    cached.set(certUrl, { key, untilMs: Math.min(until.getTime(), now().getTime() + CACHED_MS) });
    return key;
  }

  return async (certUrl) => {
    const place = certificatePlace(certUrl, hosts);
    if (place === null) return null;
    const known = cached.get(certUrl);
    if (known !== undefined && known.untilMs > now().getTime()) return known.key;
    const pending = fetching.get(certUrl) ?? fetchKey(certUrl, place).finally(() => fetching.delete(certUrl));
    fetching.set(certUrl, pending);
    return pending;
  };
}
