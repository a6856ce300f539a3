import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { Connection, TlsMaterial, TokenSource } from './connection.ts';
import { ExecConfig, execToken, runExecCredential } from './exec-credential.ts';
import { tokenFile } from './token-file.ts';

const Cluster = z.looseObject({
  server: z.string(),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
});
const User = z.looseObject({
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.string().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.string().optional(),
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  exec: ExecConfig.optional(),
});
const Kubeconfig = z.looseObject({
  'current-context': z.string(),
  contexts: z.array(z.object({ name: z.string(), context: z.looseObject({ cluster: z.string(), user: z.string(), namespace: z.string().optional() }) })),
  clusters: z.array(z.object({ name: z.string(), cluster: Cluster })),
  users: z.array(z.object({ name: z.string(), user: User })),
});

/** The file does not lead to an API server; the message says what is missing. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

function named<T extends { readonly name: string }>(list: readonly T[], name: string, what: string): T {
  const found = list.find((entry) => entry.name === name);
  if (found === undefined) throw new KubeconfigError(`the kubeconfig has no ${what} "${name}"`);
  return found;
}

async function material(data: string | undefined, file: string | undefined, directory: string): Promise<string | undefined> {
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  return file === undefined ? undefined : await readFile(resolve(directory, file), 'utf8');
}

const present = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };

interface Proof {
  readonly tls: TlsMaterial;
  readonly token?: TokenSource;
}

async function proofOf(user: z.infer<typeof User>, directory: string): Promise<Proof> {
  if (user.exec !== undefined) {
    const credential = await runExecCredential(user.exec);
    const tls = present({ cert: credential.clientCertificateData, key: credential.clientKeyData });
    return credential.token === undefined ? { tls } : { tls, token: execToken(user.exec, credential) };
  }
  const tls = present({
    cert: await material(user['client-certificate-data'], user['client-certificate'], directory),
    key: await material(user['client-key-data'], user['client-key'], directory),
  });
  const { token } = user;
  if (user.tokenFile !== undefined) return { tls, token: tokenFile(resolve(directory, user.tokenFile)) };
  return token === undefined ? { tls } : { tls, token: { read: () => Promise.resolve(token), forget: () => undefined } };
}

/**
 * The connection of the current context of a kubeconfig file: certificates, tokens, token files and exec programs.
 * @throws KubeconfigError where the file names something that it does not hold.
 */
export async function kubeconfigConnection(file: string): Promise<Connection> {
  // Loaded here, so that a pod, which has no kubeconfig, does not pay for it.
  const { parse } = await import('yaml');
  const config = Kubeconfig.parse(parse(await readFile(file, 'utf8')));
  const { context } = named(config.contexts, config['current-context'], 'context');
  const { cluster } = named(config.clusters, context.cluster, 'cluster');
  const { user } = named(config.users, context.user, 'user');
  const directory = dirname(resolve(file));
  const proof = await proofOf(user, directory);
  const ca = await material(cluster['certificate-authority-data'], cluster['certificate-authority'], directory);
  const server = present({ ca, servername: cluster['tls-server-name'], rejectUnauthorized: cluster['insecure-skip-tls-verify'] === true ? false : undefined });
  return { ...proof, server: cluster.server.replace(/\/$/, ''), namespace: context.namespace ?? 'default', tls: { ...server, ...proof.tls } };
}
