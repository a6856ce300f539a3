import { readFile } from 'node:fs/promises';
import { connect, KubeClient } from '@hamlet/kube';
import type { AgentSource } from '../agents/agent-source.ts';
import { openKubernetesSource } from '../agents/kubernetes-source.ts';
import { openSamplesSource } from '../agents/samples-source.ts';
import { kubernetesChannelTokens, NO_CHANNEL_TOKENS, type ChannelTokens } from '../channels/channel-tokens.ts';
import { kubernetesEgressSecrets, NO_EGRESS_SECRETS, type EgressSecrets } from '../egress/egress-secrets.ts';
import { kubernetesConfigMaps, sampleConfigMaps } from '../agents/config-maps.ts';
import { createSamplesAgents, type AgentWriter } from '../agents/specs/agent-writer.ts';
import { kubernetesAgents } from '../agents/specs/kubernetes-agents.ts';
import { kubernetesManifests } from '../agents/manifests/kubernetes-manifests.ts';
import { sampleManifests, type ManifestStore } from '../agents/manifests/manifest-store.ts';
import { manifestSourceOf } from '../agents/manifests/read-manifests.ts';
import type { ManifestSource } from '../runs/workflow/manifest-source.ts';
import { skillMapsOf, type SkillMaps } from '../capabilities/skill-maps.ts';
import { createDevReviewer, type TokenReviewer } from '../auth/token-exchange.ts';
import { createKubernetesReviewer } from '../auth/kubernetes-reviewer.ts';
import type { Config } from './config.ts';
import { NO_KUBELETS, openKubelets, type Kubelets } from '../figures/sources/kubelets.ts';
import { startResourceAudit } from '../resource-writes/resource-audit.ts';
import { createKubernetesWriter } from '../resource-writes/kubernetes-writer.ts';
import { createSamplesWriter, type SpecWriter } from '../resource-writes/spec-writer.ts';
import { kubernetesSchedules } from '../schedules/kubernetes-schedules.ts';
import { openSampleSchedules, type ScheduleSource } from '../schedules/schedule-source.ts';
import { openGpuSupply, UNSEEN_GPUS, type GpuSupply } from '../money/market/gpu-supply.ts';
import type { Services } from '../service/services.ts';

export interface Agents {
  readonly source: AgentSource;
  readonly schedules: ScheduleSource;
  readonly reviewer: TokenReviewer;
  readonly specWriter: SpecWriter;
  readonly agentWriter: AgentWriter;
  readonly egressSecrets: EgressSecrets;
  readonly channelTokens: ChannelTokens;
  readonly skillMaps: SkillMaps;
  readonly manifests: ManifestStore;
  readonly manifestSource: ManifestSource;
  readonly kubelets: Kubelets;
  readonly gpus: GpuSupply;
  close(): Promise<void>;
}

type KubeletPorts = Pick<Parameters<typeof openKubelets>[0], 'client' | 'connection' | 'namespace'>;

/** Throws if the file of the kubelets' issuers cannot be read. */
async function kubeletsOf({ on, kubeletCaFile }: Config['figures'], ports: KubeletPorts): Promise<Kubelets> {
  if (!on) return NO_KUBELETS;
  const ca = kubeletCaFile === undefined ? undefined : await readFile(kubeletCaFile, 'utf8');
  return openKubelets({ ...ports, ca, nowMs: () => performance.now() });
}

export async function openAgents(
  config: Config,
  services: Pick<Services, 'db' | 'notifications' | 'log'>,
): Promise<Agents> {
  const { db, log } = services;
  if (config.agents.source === 'samples') {
    const source = await openSamplesSource({ ...services, folder: config.agents.folder });
    const configMaps = sampleConfigMaps(config.agents.folder, 'manifests');
    return {
      source,
      schedules: await openSampleSchedules(config.agents.folder),
      reviewer: createDevReviewer(db, source),
      specWriter: createSamplesWriter(),
      agentWriter: createSamplesAgents(),
      egressSecrets: NO_EGRESS_SECRETS,
      channelTokens: NO_CHANNEL_TOKENS,
      skillMaps: skillMapsOf(sampleConfigMaps(config.agents.folder, 'skill')),
      manifests: sampleManifests(configMaps),
      manifestSource: manifestSourceOf(configMaps, source),
      kubelets: NO_KUBELETS,
      gpus: UNSEEN_GPUS,
      close: () => source.close(),
    };
  }
  const { namespace } = config;
  const { kubeconfig } = config.agents;
  const connection = await connect({ kubeconfig, hint: ', or HAMLET_AGENT_SOURCE=samples' });
  const client = new KubeClient(connection);
  const audit = await startResourceAudit({ db, client, namespace, log });
  const source = openKubernetesSource({ client, namespace, log, onObject: audit.see, onDeleted: audit.seeEnd });
  audit.follow(() => source.ready);
  const configMaps = kubernetesConfigMaps({ client, namespace });
  const kubelets = await kubeletsOf(config.figures, { client, connection, namespace });
  return {
    source,
    schedules: kubernetesSchedules({ client, namespace, log }),
    reviewer: createKubernetesReviewer({ client, namespace, source }),
    specWriter: createKubernetesWriter({ client, namespace }),
    agentWriter: kubernetesAgents({ client, namespace, see: source.see }),
    egressSecrets: kubernetesEgressSecrets({ client, namespace }),
    channelTokens: kubernetesChannelTokens({ client, namespace }),
    skillMaps: skillMapsOf(configMaps),
    manifests: kubernetesManifests({ client, namespace, see: source.see }),
    manifestSource: manifestSourceOf(configMaps, source),
    kubelets,
    gpus: openGpuSupply({ kubelets, client, namespace, nowMs: () => performance.now(), log }),
    close: async () => {
      await kubelets.close();
      await audit.stop();
      await source.close();
      await client.close();
    },
  };
}
