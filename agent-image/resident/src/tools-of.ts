import { join } from 'node:path';
import type { AgentConfig } from '@hamlet/contract';
import type { Tool } from '@hamlet/engine';
import { keepArtifactWith } from './artifacts/keep-artifact.ts';
import type { ServerStates } from './capabilities/server-states.ts';
import type { Machine } from './engine/machine.ts';
import { HandsError } from './hands/hands-client.ts';
import { authorEnvironment, packageEnvironment } from './hands/package-environment.ts';
import { proxyEnvironment } from './hands/proxy-environment.ts';
import type { EnvironmentOf } from './hands/start-process.ts';
import { surveyHands, type HandsSurvey } from './hands/survey-hands.ts';
import type { Environment } from './process/environment.ts';
import type { Log } from './process/json-log.ts';
import { createSkillShelf, type SkillShelf } from './skills/skill-shelf.ts';
import type { ToolKit } from './tools/tool-kit.ts';
import type { WorkVillage } from './village/work-village.ts';

/** Changes of files that tools of the hands made. */
const CHANGES_FILE = 'changes.sqlite';

interface ToolParts {
  readonly env: Environment;
  readonly config: Pick<AgentConfig, 'mcp_servers' | 'search' | 'skills'>;
  readonly log: Log;
  readonly states: ServerStates;
}

/** The tools of an agent: those of the village, those of its hands, and those of its MCP servers. */
export async function toolsOf(kit: ToolKit, { env, config, log, states }: ToolParts): Promise<readonly Tool[]> {
  const { skillTools, villageTools } = await import('./tools/village-tools.ts');
  const { HAMLET_HANDS_SOCKET: socket } = env;
  return [
    ...villageTools(kit),
    ...(config.skills.length === 0 ? [] : skillTools(kit)),
    ...(socket === undefined ? [] : await inHands(kit, { env, socket, search: config.search })),
    ...(await mcpToolsOf(config.mcp_servers, kit, { env, log, states })),
  ];
}

interface HandsParts {
  readonly env: Environment;
  readonly socket: string;
  readonly search: AgentConfig['search'];
}

async function inHands(kit: ToolKit, { env, socket, search }: HandsParts) {
  const { handsTools } = await import('./hands/tools/hands-tools.ts');
  const { apiCallLog } = await import('./hands/api-call-log.ts');
  const shells = join(env.HAMLET_HANDS_HOME, '.hamlet/shells');
  const { openChangeLog } = await import('./hands/files/change-log.ts');
  return handsTools({
    socket,
    workspace: env.HAMLET_HANDS_WORKSPACE,
    shells,
    environmentOf: environmentIn(env),
    calls: apiCallLog(kit),
    changes: openChangeLog(join(env.HAMLET_STATE_DIR, CHANGES_FILE)),
    keepArtifact: keepArtifactWith(kit),
    search,
  });
}

/** The library of MCP is loaded only for an Agent that names a server. */
async function mcpToolsOf(
  servers: AgentConfig['mcp_servers'],
  kit: ToolKit,
  { env, log, states }: Omit<ToolParts, 'config'>,
): Promise<readonly Tool[]> {
  if (servers.length === 0) return [];
  const { openMcpServers } = await import('./mcp/open-servers.ts');
  const { apiCallLog } = await import('./hands/api-call-log.ts');
  return openMcpServers({
    servers,
    socket: env.HAMLET_HANDS_SOCKET,
    workspace: env.HAMLET_HANDS_WORKSPACE,
    environmentOf: environmentIn(env),
    calls: apiCallLog(kit),
    log,
    noteState: (server, state) => states.note(server, state),
    stop: kit.stop,
  });
}

/** The variables by which programs of the hands find the way out of the pod, and git the author of commits. */
export function environmentIn(env: Environment): EnvironmentOf {
  const author = { agentId: env.HAMLET_AGENT_ID, suffix: env.HAMLET_GIT_SUFFIX };
  if (env.HAMLET_BROKER_URL === undefined) return () => authorEnvironment(author);
  const packages = packageEnvironment(author);
  return (place) => ({ ...packages, ...proxyEnvironment(place) });
}

/** The hands of the pod for the prompt. They are asked until they answer once, so that the prompt stays the same. */
export function machineIn(env: Environment): () => Promise<Omit<Machine, 'tools'>> {
  let known: HandsSurvey | null = null;
  const survey = async (socket: string): Promise<HandsSurvey | 'silent'> => {
    try {
      known ??= await surveyHands(socket, environmentIn(env));
      return known;
    } catch (error) {
      if (error instanceof HandsError) return 'silent';
      throw error;
    }
  };
  const { HAMLET_HANDS_SOCKET: socket, HAMLET_HANDS_WORKSPACE: workspace, HAMLET_HANDS_HOME: home } = env;
  const hasWayOut = env.HAMLET_BROKER_URL !== undefined;
  return async () => ({ hands: socket === undefined ? null : await survey(socket), workspace, home, hasWayOut });
}

/** The skills of the Agent, from all places in which it may have some. */
export function skillShelfIn(env: Environment, work: WorkVillage): SkillShelf {
  return createSkillShelf({
    imageFolder: env.HAMLET_SKILLS_DIR,
    socket: env.HAMLET_HANDS_SOCKET,
    workspace: env.HAMLET_HANDS_WORKSPACE,
    environmentOf: environmentIn(env),
    work,
  });
}
