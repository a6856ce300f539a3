import { loadInStages } from './start/load-in-stages.ts';

const { runCommand } = await loadInStages(
  [
    () => import('@hamlet/contract'),
    () => import('@hamlet/kube'),
    () => import('@hamlet/store'),
    () => import('@hamlet/models'),
    () => import('./service/jobs.ts'),
  ],
  () => import('./start/command.ts'),
);
await runCommand();
