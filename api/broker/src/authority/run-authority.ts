/** Writes the authority of the village into a folder of the broker's pod, before the broker starts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, isStatus, KubeClient } from '@hamlet/kube';
import { z } from 'zod';
import { AUTHORITY_NAME, keepAuthority, type AuthorityStore } from './keep-authority.ts';

const Environment = z.object({
  HAMLET_CA_DIR: z.string().min(1).describe('Empty folder in memory, for tls.crt and tls.key.'),
  HAMLET_NAMESPACE: z
    .string()
    .min(1)
    .optional()
    .describe('Namespace of the village; by default the namespace of the pod.'),
  HAMLET_KUBECONFIG: z
    .string()
    .min(1)
    .optional()
    .describe("Path of a kubeconfig; by default the pod's service account."),
});

const usage = (): string => {
  const lines = Object.entries(Environment.shape).map(
    ([name, schema]) => `  ${name.padEnd(24)}${schema.description ?? ''}`,
  );
  return `Usage: node api/broker/src/main.ts --authority [--help]\n\nReads the authority of the village from the Secret ${AUTHORITY_NAME}, or makes it. The environment:\n${lines.join('\n')}\n`;
};

function storeIn(client: KubeClient, namespace: string): AuthorityStore {
  const at = { namespace, name: AUTHORITY_NAME };
  return {
    read: (type) => client.get(type, at),
    write: async (type, { metadata: { resourceVersion } }, data) => {
      await client.mergePatch(type, { metadata: { resourceVersion }, data }, at);
    },
    isConflict: (error) => isStatus(error, 409),
  };
}

export async function runAuthority(arguments_: readonly string[], variables: NodeJS.ProcessEnv): Promise<number> {
  if (arguments_.includes('--help')) {
    process.stdout.write(usage());
    return 0;
  }
  const environment = Environment.safeParse(variables);
  if (!environment.success) {
    process.stderr.write(`${z.prettifyError(environment.error)}\n${usage()}`);
    return 2;
  }
  const { HAMLET_CA_DIR: folder, HAMLET_NAMESPACE: named, HAMLET_KUBECONFIG: kubeconfig } = environment.data;
  const connection = await connect({ kubeconfig });
  const namespace = named ?? connection.namespace;
  const client = new KubeClient(connection);
  try {
    const { certificate, key } = await keepAuthority(storeIn(client, namespace), namespace, Date.now());
    writeFileSync(join(folder, 'tls.crt'), certificate, { mode: 0o400 });
    writeFileSync(join(folder, 'tls.key'), key, { mode: 0o400 });
    return 0;
  } finally {
    await client.close();
  }
}
