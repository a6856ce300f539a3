import { isStatus, SECRETS, type KubeClient, type KubeObject } from '@hamlet/kube';

/** The value of a Secret, and the hosts to which its owner lets the broker send it, as patterns. */
export interface EgressSecret {
  readonly value: string;
  readonly hosts: readonly string[];
}

export interface EgressSecrets {
  /** Null if there is no such secret, or if its owner did not label it for this use. */
  read(name: string): Promise<EgressSecret | null>;
}

export const NO_EGRESS_SECRETS: EgressSecrets = { read: () => Promise.resolve(null) };

const LABEL = 'hamlet.village/egress';
/** Hosts, separated by commas or spaces: `api.github.com, *.example.org`. A Secret without it goes to no host. */
const HOSTS = 'hamlet.village/egress-hosts';
const MAX_HOSTS = 64;
const KEYS = ['value', 'token', 'password'] as const;

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

export function egressSecretOf({ metadata, data = {} }: Secret): EgressSecret | null {
  if (metadata.labels?.[LABEL] !== 'true') return null;
  const key = KEYS.find((each) => data[each] !== undefined);
  const value = Buffer.from(key === undefined ? '' : (data[key] ?? ''), 'base64')
    .toString('utf8')
    .trim();
  if (value === '') return null;
  const hosts = (metadata.annotations?.[HOSTS] ?? '').toLowerCase().split(/[\s,]+/);
  return { value, hosts: hosts.filter((host) => host !== '').slice(0, MAX_HOSTS) };
}

/** Reads Secrets of the village's namespace. The API may read only those that egress.secretNames of the chart lists. */
export function kubernetesEgressSecrets(ports: {
  readonly client: Pick<KubeClient, 'get'>;
  readonly namespace: string;
}): EgressSecrets {
  return {
    read: async (name) => {
      try {
        return egressSecretOf(await ports.client.get<Secret>(SECRETS, { namespace: ports.namespace, name }));
      } catch (error) {
        if (isStatus(error, 404) || isStatus(error, 403)) return null;
        throw error;
      }
    },
  };
}
