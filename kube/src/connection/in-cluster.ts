import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from './connection.ts';
import { tokenFile } from './token-file.ts';

/** Where every pod finds its service account. */
export const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What a pod is told about the API server by its environment. */
export interface PodEnvironment {
  readonly host: string;
  readonly port: string;
  /** {@link SERVICE_ACCOUNT_DIR} unless a test says otherwise. */
  readonly directory?: string;
}

/** The connection of a process that runs in a pod. */
export async function inClusterConnection({
  host,
  port,
  directory = SERVICE_ACCOUNT_DIR,
}: PodEnvironment): Promise<Connection> {
  const [ca, namespace] = await Promise.all([
    readFile(join(directory, 'ca.crt'), 'utf8'),
    readFile(join(directory, 'namespace'), 'utf8'),
  ]);
  const address = host.includes(':') ? `[${host}]` : host;
  return {
    server: `https://${address}:${port}`,
    namespace: namespace.trim(),
    tls: { ca },
    token: tokenFile(join(directory, 'token')),
  };
}
