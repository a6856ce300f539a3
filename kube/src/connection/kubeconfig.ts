import type { KubeConfig } from '@kubernetes/client-node';
import type { Connection, TlsMaterial, TokenSource } from './connection.ts';

/** The file does not lead to an API server; the message says what is missing. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

/** What client-node fills in for a request. */
interface Filled {
  headers?: Record<string, string>;
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
  servername?: string;
  rejectUnauthorized?: boolean;
}

async function filledBy(config: KubeConfig): Promise<Filled> {
  const options: Filled = {};
  await config.applyToHTTPSOptions(options as Parameters<KubeConfig['applyToHTTPSOptions']>[0]);
  return options;
}

const bearerOf = ({ headers }: Filled): string | undefined =>
  /^Bearer\s+(\S+)/.exec(headers?.['Authorization'] ?? '')?.[1];

function textOf(name: string, value: unknown): Partial<Record<string, string>> {
  if (value === undefined || value === null) return {};
  return { [name]: Buffer.isBuffer(value) ? value.toString('utf8') : String(value) };
}

function tlsOf({ ca, cert, key, servername, rejectUnauthorized }: Filled): TlsMaterial {
  return {
    ...textOf('ca', ca),
    ...textOf('cert', cert),
    ...textOf('key', key),
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}

/** client-node reads the file, runs the program or asks the provider again when its token has expired. */
function tokenOf(config: KubeConfig): TokenSource {
  return { read: async () => bearerOf(await filledBy(config)) ?? '', forget: () => undefined };
}

/**
 * The connection of the current context of a kubeconfig file, with whatever proof of identity it names: certificates,
 * tokens, exec programs, providers.
 * @throws KubeconfigError where the file names something that it does not hold
 */
export async function kubeconfigConnection(file: string): Promise<Connection> {
  // Loaded here and in part: a pod, which has no kubeconfig, does not pay its memory.
  const { KubeConfig: Config } = await import('@kubernetes/client-node/dist/config.js');
  const config = new Config();
  config.loadFromFile(file);
  const context = config.getContextObject(config.getCurrentContext());
  const cluster = config.getCurrentCluster();
  if (context === null || cluster === null || config.getCurrentUser() === null) {
    throw new KubeconfigError(
      `the current context "${config.getCurrentContext()}" of ${file} has no context, cluster or user of that name`,
    );
  }
  const filled = await filledBy(config);
  const known = {
    server: cluster.server.replace(/\/$/, ''),
    namespace: context.namespace ?? 'default',
    tls: tlsOf(filled),
  };
  return bearerOf(filled) === undefined ? known : { ...known, token: tokenOf(config) };
}
