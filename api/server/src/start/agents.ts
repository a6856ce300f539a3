import { connect, KubeClient } from '@hamlet/kube';
import type { AgentSource } from '../agents/agent-source.ts';
import { openKubernetesSource } from '../agents/kubernetes-source.ts';
import { openSamplesSource } from '../agents/samples-source.ts';
import { kubernetesEgressSecrets, NO_EGRESS_SECRETS, type EgressSecrets } from '../egress/egress-secrets.ts';
import { kubernetesSkillMaps, sampleSkillMaps, type SkillMaps } from '../capabilities/skill-maps.ts';
import { createDevReviewer, type TokenReviewer } from '../auth/token-exchange.ts';
import { createKubernetesReviewer } from '../auth/kubernetes-reviewer.ts';
import type { Config } from './config.ts';
import { startResourceAudit } from '../resource-writes/resource-audit.ts';
import { createKubernetesWriter } from '../resource-writes/kubernetes-writer.ts';
import { createSamplesWriter, type SpecWriter } from '../resource-writes/spec-writer.ts';
import { kubernetesSchedules } from '../schedules/kubernetes-schedules.ts';
import { openSampleSchedules, type ScheduleSource } from '../schedules/schedule-source.ts';
import type { Services } from '../service/services.ts';

export interface Agents {
  readonly source: AgentSource;
  readonly schedules: ScheduleSource;
  readonly reviewer: TokenReviewer;
  readonly specWriter: SpecWriter;
  readonly egressSecrets: EgressSecrets;
  readonly skillMaps: SkillMaps;
  close(): Promise<void>;
}

export async function openAgents(
  config: Config,
  services: Pick<Services, 'db' | 'notifications' | 'log'>,
): Promise<Agents> {
  const { db, log } = services;
  if (config.agents.source === 'samples') {
    const source = await openSamplesSource({ ...services, folder: config.agents.folder });
    return {
      source,
      schedules: await openSampleSchedules(config.agents.folder),
      reviewer: createDevReviewer(db, source),
      specWriter: createSamplesWriter(),
      egressSecrets: NO_EGRESS_SECRETS,
      skillMaps: sampleSkillMaps(config.agents.folder),
      close: () => source.close(),
    };
  }
  const { namespace } = config;
  const { kubeconfig } = config.agents;
  const client = new KubeClient(await connect({ kubeconfig, hint: ', or HAMLET_AGENT_SOURCE=samples' }));
  const audit = await startResourceAudit({ db, client, namespace, log });
  const source = openKubernetesSource({ client, namespace, log, onObject: audit.see, onDeleted: audit.seeEnd });
  audit.follow(() => source.ready);
  return {
    source,
    schedules: kubernetesSchedules({ client, namespace, log }),
    reviewer: createKubernetesReviewer({ client, namespace, source }),
    specWriter: createKubernetesWriter({ client, namespace }),
    egressSecrets: kubernetesEgressSecrets({ client, namespace }),
    skillMaps: kubernetesSkillMaps({ client, namespace }),
    close: async () => {
      await audit.stop();
      await source.close();
      await client.close();
    },
  };
}
