import { isStatus, SECRETS, type KubeClient, type KubeObject } from '@hamlet/kube';

/** The tokens of bots, by the Secrets that Agents name. */
export interface ChannelTokens {
  /**
   * The tokens in these keys. Null if there is no such Secret or a key is missing, if its owner did not label it for this
   * use, or if the API may not read it.
   */
  read(secretName: string, keys: readonly string[]): Promise<readonly string[] | null>;
}

export const NO_CHANNEL_TOKENS: ChannelTokens = { read: () => Promise.resolve(null) };

const LABEL = 'hamlet.village/channel';
const TOKEN_MAX_CHARS = 256;

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

// The token becomes part of an address or a header.
const isToken = (text: string): boolean => /^[\w:-]+$/.test(text) && text.length <= TOKEN_MAX_CHARS;

/** The tokens of a bot, from keys of a labelled Secret; null if one is missing. Pure. */
export function channelTokensOf({ metadata, data = {} }: Secret, keys: readonly string[]): readonly string[] | null {
  if (metadata.labels?.[LABEL] !== 'true') return null;
  const tokens = keys.map((key) =>
    Buffer.from(data[key] ?? '', 'base64')
      .toString('utf8')
      .trim(),
  );
  return tokens.every(isToken) ? tokens : null;
}

/** Reads Secrets of the village's namespace. The API may read only those that the chart lists. */
export function kubernetesChannelTokens(ports: {
  readonly client: Pick<KubeClient, 'get'>;
  readonly namespace: string;
}): ChannelTokens {
  return {
    read: async (name, keys) => {
      try {
        return channelTokensOf(await ports.client.get<Secret>(SECRETS, { namespace: ports.namespace, name }), keys);
      } catch (error) {
        if (isStatus(error, 404) || isStatus(error, 403)) return null;
        throw error;
      }
    },
  };
}
