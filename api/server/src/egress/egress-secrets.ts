import { isStatus, SECRETS, type KubeClient, type KubeObject } from '@hamlet/kube';

export interface EgressSecrets {
  /** Null if there is no such secret, or if its owner did not label it for this use. */
  read(name: string): Promise<string | null>;
}

export const NO_EGRESS_SECRETS: EgressSecrets = { read: () => Promise.resolve(null) };

const LABEL = 'hamlet.village/egress';
const KEYS = ['value', 'token', 'password'] as const;

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

export function valueOfSecret({ metadata, data = {} }: Secret): string | null {
  if (metadata.labels?.[LABEL] !== 'true') return null;
  const key = KEYS.find((each) => data[each] !== undefined);
  const value = Buffer.from(key === undefined ? '' : (data[key] ?? ''), 'base64')
    .toString('utf8')
    .trim();
  return value === '' ? null : value;
}

/** Reads Secrets of the village's namespace. The API may read only those that egress.secretNames of the chart lists. */
export function kubernetesEgressSecrets(ports: {
  readonly client: Pick<KubeClient, 'get'>;
  readonly namespace: string;
}): EgressSecrets {
  return {
    read: async (name) => {
      try {
        return valueOfSecret(await ports.client.get<Secret>(SECRETS, { namespace: ports.namespace, name }));
      } catch (error) {
        if (isStatus(error, 404) || isStatus(error, 403)) return null;
        throw error;
      }
    },
  };
}
