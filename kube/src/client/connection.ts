import type { KubeConfig } from '@kubernetes/client-node';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Connection {
  /** Origin, for example `https://10.96.0.1:443`. */
  readonly server: string;
  /** Namespace of the kubeconfig context or of the pod. */
  readonly namespace: string;
  readonly tls: TlsMaterial;
  /** Undefined if the process identifies itself with a client certificate. */
  readonly token?: TokenSource;
}

interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface TokenSource {
  read(): Promise<string>;
  /** The API server refused the token: the next `read` reads the file again. */
  forget(): void;
}

/** Tokens live at least ten minutes and are replaced after 80 % of their life, so a copy of one minute is valid. */
const REREAD_AFTER_MS = 60_000;

/** The token in the file `path`. It is read again after one minute, and after the API server refuses it. */
export function tokenFile(path: string, now: () => number = () => performance.now()): TokenSource {
  let token: string | undefined;
  let readAtMs = 0;
  return {
    async read() {
      if (token === undefined || now() - readAtMs > REREAD_AFTER_MS) {
        token = (await readFile(path, 'utf8')).trim();
        readAtMs = now();
      }
      return token;
    },
    forget() {
      token = undefined;
    },
  };
}

export const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

interface InCluster {
  readonly host: string;
  readonly port: string;
  readonly directory?: string;
}

export async function inClusterConnection(at: InCluster): Promise<Connection> {
  const { host, port, directory = SERVICE_ACCOUNT_DIR } = at;
  const read = (name: string): Promise<string> => readFile(join(directory, name), 'utf8');
  const [ca, namespace] = await Promise.all([read('ca.crt'), read('namespace')]);
  const address = host.includes(':') ? `[${host}]` : host;
  return {
    server: `https://${address}:${port}`,
    namespace: namespace.trim(),
    tls: { ca },
    token: tokenFile(join(directory, 'token')),
  };
}

export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

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

function tokenOf(config: KubeConfig): TokenSource {
  return { read: async () => bearerOf(await filledBy(config)) ?? '', forget: () => undefined };
}

/**
 * Connects to the kubeconfig's current context by certificate, token, exec program or auth provider.
 * @throws KubeconfigError if the context, cluster or user that the file names is missing
 */
export async function kubeconfigConnection(file: string): Promise<Connection> {
  // A dynamic import, because a pod has no kubeconfig and saves the module's memory.
  const { KubeConfig: Config } = await import('@kubernetes/client-node/dist/config.js');
  const config = new Config();
  config.loadFromFile(file);
  const context = config.getContextObject(config.getCurrentContext());
  const cluster = config.getCurrentCluster();
  if (context === null || cluster === null || config.getCurrentUser() === null) {
    throw new KubeconfigError(
      `${file} lacks the context, cluster or user of its current context "${config.getCurrentContext()}": add it, or select another context`,
    );
  }
  const filled = await filledBy(config);
  const server = cluster.server.replace(/\/$/, '');
  const known = { server, namespace: context.namespace ?? 'default', tls: tlsOf(filled) };
  return bearerOf(filled) === undefined ? known : { ...known, token: tokenOf(config) };
}

/** Connects with the kubeconfig, if one is given, otherwise with the pod's service account. Throws an Error without either. */
export async function connect({
  kubeconfig,
  directory = SERVICE_ACCOUNT_DIR,
  hint = '',
}: {
  readonly kubeconfig: string | undefined;
  readonly directory?: string;
  readonly hint?: string;
}): Promise<Connection> {
  if (kubeconfig !== undefined) return kubeconfigConnection(kubeconfig);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (host === undefined || port === undefined)
    throw new Error(`no API server is known, because this process does not run in a pod: set HAMLET_KUBECONFIG${hint}`);
  return inClusterConnection({ host, port, directory });
}
