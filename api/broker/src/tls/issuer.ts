import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import * as x509 from '@peculiar/x509';
import type { AuthorityFiles } from './authority.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Host certificates are valid for a week, so a client's clock may be off by days. */
const LEAF_MS = 7 * DAY_MS;
const BACKDATE_MS = 3_600_000;
const AUTHORITY_YEARS = 10;

const serial = (): string =>
  Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)))
    .toString('hex')
    .replace(/^./, '1');

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** Creates an authority for a village. It may sign host certificates but no further authorities. */
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

export class Issuer {
  readonly #issuer: x509.X509Certificate;
  readonly #signingKey: webcrypto.CryptoKey;
  readonly #leafKeys: webcrypto.CryptoKeyPair;

  private constructor(
    issuer: x509.X509Certificate,
    keys: { readonly sign: webcrypto.CryptoKey; readonly leaf: webcrypto.CryptoKeyPair },
  ) {
    this.#issuer = issuer;
    this.#signingKey = keys.sign;
    this.#leafKeys = keys.leaf;
  }

  static async open(files: AuthorityFiles): Promise<Issuer> {
    const der = createPrivateKey(files.key).export({ type: 'pkcs8', format: 'der' });
    const sign = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
    const leaf = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    return new Issuer(new x509.X509Certificate(files.certificate), { sign, leaf });
  }

  /** The key id from the authority's own certificate, because programs derive key ids in several ways. */
  async #authorityKey(): Promise<x509.AuthorityKeyIdentifierExtension> {
    const own = this.#issuer.getExtension(x509.SubjectKeyIdentifierExtension);
    return own === null
      ? x509.AuthorityKeyIdentifierExtension.create(this.#issuer.publicKey)
      : new x509.AuthorityKeyIdentifierExtension(own.keyId);
  }

  /** Certificate and key of a host, from `now` in milliseconds since 1970. */
  async issue(host: string, now: number): Promise<SecureContext> {
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
