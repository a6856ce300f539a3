import { isStatus, SECRETS, type KubeClient, type KubeObject } from '@hamlet/kube';

/** The tokens of bots, by the Secrets that Agents name. */
export interface ChannelTokens {
  /** Null if there is no such Secret or key, if its owner did not label it for this use, or if the API may not read it. */
  read(secretName: string, key: string): Promise<string | null>;
}

export const NO_CHANNEL_TOKENS: ChannelTokens = { read: () => Promise.resolve(null) };

const LABEL = 'hamlet.village/channel';
const TOKEN_MAX_CHARS = 256;

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** The token of a bot, from a key of a labelled Secret. Pure. */
export function channelTokenOf({ metadata, data = {} }: Secret, key: string): string | null {
  if (metadata.labels?.[LABEL] !== 'true') return null;
  const token = Buffer.from(data[key] ?? '', 'base64')
    .toString('utf8')
    .trim();
  // It becomes a part of an address or of a header.
  return /^[\w:-]+$/.test(token) && token.length <= TOKEN_MAX_CHARS ? token : null;
}

/** Reads Secrets of the village's namespace. The API may read only those that the chart lists. */
export function kubernetesChannelTokens(ports: {
  readonly client: Pick<KubeClient, 'get'>;
  readonly namespace: string;
}): ChannelTokens {
  return {
    read: async (name, key) => {
      try {
        return channelTokenOf(await ports.client.get<Secret>(SECRETS, { namespace: ports.namespace, name }), key);
      } catch (error) {
        if (isStatus(error, 404) || isStatus(error, 403)) return null;
        throw error;
      }
    },
  };
}
