import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { TokenSource } from './connection.ts';

const TIMEOUT_MS = 60_000;
/** A credential is asked for again this long before it expires. */
const EARLY_MS = 30_000;

/** `users[].user.exec` of a kubeconfig: a program that prints a credential. */
export const ExecConfig = z.looseObject({
  apiVersion: z.string(),
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
});
export type ExecConfig = z.infer<typeof ExecConfig>;

const ExecCredential = z.looseObject({
  status: z.looseObject({
    token: z.string().optional(),
    expirationTimestamp: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});
type Credential = z.infer<typeof ExecCredential>['status'];

/** Runs the program once. Throws what it printed where it fails. */
export async function runExecCredential(config: ExecConfig): Promise<Credential> {
  const info = JSON.stringify({ apiVersion: config.apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  const extra = Object.fromEntries((config.env ?? []).map(({ name, value }) => [name, value]));
  const { stdout } = await promisify(execFile)(config.command, config.args ?? [], {
    env: { ...process.env, ...extra, KUBERNETES_EXEC_INFO: info },
    timeout: TIMEOUT_MS,
  });
  return ExecCredential.parse(JSON.parse(stdout)).status;
}

/** The token that the program prints, asked for again when it expires or is refused. */
export function execToken(config: ExecConfig, first: Credential): TokenSource {
  let credential: Credential | undefined = first;
  return {
    async read() {
      const expires = credential?.expirationTimestamp;
      if (credential === undefined || (expires !== undefined && Date.parse(expires) - EARLY_MS < Date.now())) {
        credential = await runExecCredential(config);
      }
      return credential.token ?? '';
    },
    forget() {
      credential = undefined;
    },
  };
}
