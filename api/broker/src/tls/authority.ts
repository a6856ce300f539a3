import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Leaves live for a week and are issued again after a day, so a client's clock may be off by days. */
const LEAF_MS = 7 * DAY_MS;
const RENEW_MS = DAY_MS;
const BACKDATE_MS = 3_600_000;
const MAX_LEAVES = 1000;
const AUTHORITY_YEARS = 10;

export interface AuthorityFiles {
  /** PEM. */
  readonly certificate: string;
  /** PEM, of a key on the curve P-256. */
  readonly key: string;
}

interface Leaf {
  readonly context: Promise<SecureContext>;
  readonly renewAt: number;
}

const serial = (): string =>
  Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)))
    .toString('hex')
    .replace(/^./, '1');

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** A new authority of a village. It may sign names and no further authorities. */
export async function createAuthority(village: string, now: number): Promise<AuthorityFiles> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const until = new Date(now);
  until.setUTCFullYear(until.getUTCFullYear() + AUTHORITY_YEARS);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=Hamlet ${village}`,
    notBefore: new Date(now - BACKDATE_MS),
    notAfter: until,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

/** Issues certificates for the hosts whose requests the broker reads, in the name of the village's authority. */
export class Authority {
  readonly #issuer: x509.X509Certificate;
  readonly #signingKey: webcrypto.CryptoKey;
  readonly #leafKeys: webcrypto.CryptoKeyPair;
  readonly #leaves = new Map<string, Leaf>();
  readonly #now: () => number;

  private constructor(
    issuer: x509.X509Certificate,
    keys: { sign: webcrypto.CryptoKey; leaf: webcrypto.CryptoKeyPair },
    now: () => number,
  ) {
    this.#issuer = issuer;
    this.#signingKey = keys.sign;
    this.#leafKeys = keys.leaf;
    this.#now = now;
  }

  /** Rejects where certificate or key cannot be read. */
  static async open(files: AuthorityFiles, now: () => number): Promise<Authority> {
    const der = createPrivateKey(files.key).export({ type: 'pkcs8', format: 'der' });
    const sign = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
    const leaf = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    return new Authority(new x509.X509Certificate(files.certificate), { sign, leaf }, now);
  }

  /** Certificate and key with which a TLS server answers as this host. */
  context(host: string): Promise<SecureContext> {
    const known = this.#leaves.get(host);
    if (known !== undefined && known.renewAt > this.#now()) return known.context;
    const leaf = { context: this.#issue(host), renewAt: this.#now() + RENEW_MS };
    this.#leaves.delete(host);
    this.#leaves.set(host, leaf);
    leaf.context.catch(() => this.#leaves.delete(host));
    const oldest = this.#leaves.keys().next().value;
    if (this.#leaves.size > MAX_LEAVES && oldest !== undefined) this.#leaves.delete(oldest);
    return leaf.context;
  }

  /** The id that the authority gives its own key: programs make it from the key in several ways. */
  async #authorityKey(): Promise<x509.AuthorityKeyIdentifierExtension> {
    const own = this.#issuer.getExtension(x509.SubjectKeyIdentifierExtension);
    return own === null
      ? x509.AuthorityKeyIdentifierExtension.create(this.#issuer.publicKey)
      : new x509.AuthorityKeyIdentifierExtension(own.keyId);
  }

  async #issue(host: string): Promise<SecureContext> {
    const now = this.#now();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: '',
      issuer: this.#issuer.subject,
      notBefore: new Date(now - BACKDATE_MS),
      notAfter: new Date(now + LEAF_MS),
      publicKey: this.#leafKeys.publicKey,
      signingKey: this.#signingKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }], true),
        await this.#authorityKey(),
      ],
    });
    return createSecureContext({
      cert: certificate.toString('pem') + '\n' + this.#issuer.toString('pem'),
      key: await pemOf(this.#leafKeys.privateKey),
      minVersion: 'TLSv1.2',
    });
  }
}
