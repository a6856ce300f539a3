import { X509Certificate, createPrivateKey } from 'node:crypto';
import type { ResourceType, StoredMeta } from '@hamlet/kube';
import type { AuthorityFiles } from '../tls/authority.ts';
import { createAuthority } from '../tls/issuer.ts';

export const SECRETS: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };
export const CONFIG_MAPS: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };
/** Name of the Secret (certificate and key) and of the ConfigMap (only the certificate). */
export const AUTHORITY_NAME = 'hamlet-ca';
const CERTIFICATE_KEY = 'ca.crt';
/** Brokers that start together may conflict, each at most once with every other one. */
const MAX_ATTEMPTS = 5;

interface Stored {
  readonly metadata: StoredMeta;
  readonly data?: Readonly<Record<string, string>> | undefined;
}

export interface AuthorityStore {
  read(type: ResourceType): Promise<Stored>;
  /** Rejects with a conflict if another process has changed the object. */
  write(type: ResourceType, object: Stored, data: Readonly<Record<string, string>>): Promise<void>;
  isConflict(error: unknown): boolean;
}

const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8');
const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Certificate and key of a Secret; null if one is missing, they do not match, or the certificate has expired. */
function usable({ data = {} }: Stored, now: number): AuthorityFiles | null {
  const files = { certificate: decode(data['tls.crt']), key: decode(data['tls.key']) };
  if (files.certificate === '' || files.key === '') return null;
  try {
    const certificate = new X509Certificate(files.certificate);
    const isOwn = certificate.checkPrivateKey(createPrivateKey(files.key));
    return isOwn && certificate.validToDate.getTime() > now ? files : null;
  } catch {
    return null;
  }
}

async function storedAuthority(store: AuthorityStore, village: string, now: number): Promise<AuthorityFiles> {
  const secret = await store.read(SECRETS);
  const known = usable(secret, now);
  if (known !== null) return known;
  const files = await createAuthority(village, now);
  await store.write(SECRETS, secret, { 'tls.crt': encode(files.certificate), 'tls.key': encode(files.key) });
  return files;
}

/**
 * The authority of the village. The first broker creates it in the cluster, all others read it. If a person empties the
 * Secret, the next broker creates a new one.
 */
export async function keepAuthority(store: AuthorityStore, village: string, now: number): Promise<AuthorityFiles> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const files = await storedAuthority(store, village, now);
      const published = await store.read(CONFIG_MAPS);
      if (published.data?.[CERTIFICATE_KEY] !== files.certificate)
        await store.write(CONFIG_MAPS, published, { [CERTIFICATE_KEY]: files.certificate });
      return files;
    } catch (error) {
      if (!store.isConflict(error) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}
