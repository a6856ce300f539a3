/** The chart runs this before it is uninstalled: it deletes the village's Agents while the operator can still clean up. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, KubeClient } from '@hamlet/kube';
import * as z from 'zod';
import { Environment } from '../config.ts';
import { dismissAgents } from './dismiss-agents.ts';

const PAUSE_MS = 1_000;

const Settings = Environment.pick({
  HAMLET_NAMESPACE: true,
  HAMLET_KUBECONFIG: true,
  HAMLET_SERVICE_ACCOUNT_DIR: true,
}).extend({
  HAMLET_PATIENCE_SECONDS: z.coerce.number().int().min(0).max(3_600).default(60),
});

async function main(): Promise<void> {
  const settings = Settings.parse(process.env);
  const connection = await connect({
    kubeconfig: settings.HAMLET_KUBECONFIG,
    directory: settings.HAMLET_SERVICE_ACCOUNT_DIR,
  });
  const client = new KubeClient(connection);
  try {
    await dismissAgents({
      client,
      namespace: settings.HAMLET_NAMESPACE ?? connection.namespace,
      patienceMs: settings.HAMLET_PATIENCE_SECONDS * 1_000,
      now: () => performance.now(),
      pause: () => sleep(PAUSE_MS),
      log: (line) => void process.stdout.write(`${line}\n`),
    });
  } finally {
    await client.close();
  }
}

await main();
