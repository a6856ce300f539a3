import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AgentConfig } from '@hamlet/contract';
import type { Tool } from '@hamlet/engine';
import { keepArtifactWith } from './artifacts/keep-artifact.ts';
import type { ServerStates } from './capabilities/server-states.ts';
import type { ModelKeys } from './door/model-keys.ts';
import type { Machine } from './engine/machine.ts';
import { noteMemories, type RunBook } from './engine/run-book.ts';
import { HandsError } from './hands/hands-client.ts';
import { authorEnvironment, authorOf, packageEnvironment, type GitAuthor } from './hands/package-environment.ts';
import { proxyEnvironment } from './hands/proxy-environment.ts';
import { createRefusals, type Refusals } from './hands/refusals.ts';
import { readIn, readInHands, type ReadText } from './hands/repository/read-work-tree.ts';
import { withGivenFiles } from './hands/files/given-files.ts';
import { createWorkTrees, type WorkTrees } from './hands/repository/work-trees.ts';
import type { EnvironmentOf, ProcessPlace } from './hands/start-process.ts';
import { surveyHands, type HandsSurvey } from './hands/survey-hands.ts';
import { MIND_CALL } from './hands/hands-programs.ts';
import { openExportStore } from './memory/files/export-store.ts';
import type { ToolList } from './mcp/live-tools.ts';
import { createMemoryFiles, MEMORY_FILE_VARIABLE, type MemoryFiles } from './memory/files/memory-files.ts';
import { ownFile } from './memory/files/own-file.ts';
import type { OwnMemory } from './memory/own-memory.ts';
import { rememberDocumentsWith } from './tools/remember-documents.ts';
import { repositoryFile } from './memory/files/repository-file.ts';
import type { RepositoryMemory } from './memory/repository-memory.ts';
import type { Environment } from './process/environment.ts';
import type { Log } from './process/json-log.ts';
import { readScriptWith } from './scripts/read-script.ts';
import { createSkillStore, type SkillStore } from './skills/skill-store.ts';
import type { ToolKit } from './tools/tool-kit.ts';
import type { RetryPorts } from './village/retry.ts';
import type { WorkVillage } from './village/work-village.ts';

const CHANGES_FILE = 'changes.sqlite';
/** The memories of repositories as they were last written to files in the hands. */
const EXPORTS_FOLDER = 'memory-exports';

export interface HandsPlace {
  readonly environmentOf: EnvironmentOf;
  readonly trees: WorkTrees;
  readonly memories: MemoryFiles;
  readonly refusals: Refusals;
  /** Takes the changes that a run's programs made to its memory file. Never rejects. */
  readonly keepMemory: (run: string, signal: AbortSignal) => Promise<void>;
  readonly workspace: string;
  /** Makes the key of a program worthless that has ended. */
  readonly ended: (place: ProcessPlace) => void;
}

interface ToolParts {
  readonly env: Environment;
  readonly place: HandsPlace;
  readonly config: Pick<AgentConfig, 'mcp_servers' | 'outside_agents' | 'search' | 'skills'>;
  readonly log: Log;
  readonly states: ServerStates;
}

/** Returns the tools of an agent: a new array after each change of its MCP servers' lists. */
export async function toolsOf(kit: ToolKit, { env, place, config, log, states }: ToolParts): Promise<ToolList> {
  const { findToolsIn, skillTools, villageTools } = await import('./tools/village-tools.ts');
  const { HAMLET_HANDS_SOCKET: socket } = env;
  const own = [
    findToolsIn(kit, () => list()),
    ...villageTools(kit),
    ...(config.skills.length === 0 ? [] : skillTools(kit)),
    ...(socket === undefined ? [] : await inHands(kit, { env, place, socket, config })),
  ];
  const list = joined(own, await mcpToolsOf(config.mcp_servers, kit, { env, place, log, states }));
  return list;
}

/** Joins both lists. Returns the same array until `served` changes. */
function joined(own: readonly Tool[], served: ToolList): ToolList {
  let last: { readonly of: readonly Tool[]; readonly all: readonly Tool[] } = { of: [], all: own };
  return () => {
    const of = served();
    if (of !== last.of) last = { of, all: [...own, ...of] };
    return last.all;
  };
}

interface HandsParts extends Pick<ToolParts, 'env' | 'place'> {
  readonly socket: string;
  readonly config: Pick<AgentConfig, 'outside_agents' | 'search'>;
}

async function inHands(kit: ToolKit, { env, place, socket, config }: HandsParts) {
  const { handsTools } = await import('./hands/tools/hands-tools.ts');
  const { apiCallLog } = await import('./hands/api-call-log.ts');
  const { connectionsTo } = await import('./hands/hands-connections.ts');
  const shells = join(env.HAMLET_HANDS_HOME, '.hamlet/shells');
  const { openChangeLog } = await import('./hands/files/change-log.ts');
  return handsTools({
    ...place,
    agentId: kit.agentId,
    connections: connectionsTo(socket),
    shells,
    calls: apiCallLog(kit),
    changes: openChangeLog(join(env.HAMLET_STATE_DIR, CHANGES_FILE)),
    keepArtifact: keepArtifactWith(kit),
    readScript: readScriptWith(kit),
    rememberDocuments: rememberDocumentsWith(kit),
    search: config.search,
    outsideAgents: config.outside_agents,
  });
}

/** The MCP library is loaded only for an Agent that names a server. */
async function mcpToolsOf(
  servers: AgentConfig['mcp_servers'],
  kit: ToolKit,
  { env, place, log, states }: Omit<ToolParts, 'config'>,
): Promise<ToolList> {
  const none: readonly Tool[] = [];
  if (servers.length === 0) return () => none;
  const { openMcpServers } = await import('./mcp/open-servers.ts');
  const { apiCallLog } = await import('./hands/api-call-log.ts');
  return openMcpServers({
    servers,
    socket: env.HAMLET_HANDS_SOCKET,
    workspace: env.HAMLET_HANDS_WORKSPACE,
    environmentOf: place.environmentOf,
    memories: place.memories,
    refusals: place.refusals,
    repositoryOf: (run) => kit.book.find(run)?.repository ?? null,
    calls: apiCallLog(kit),
    log,
    noteState: (server, state) => states.note(server, state),
    stop: kit.stop,
  });
}

interface PlaceParts extends RetryPorts {
  readonly work: Pick<WorkVillage, 'runFile' | 'noteMemories'>;
  readonly book: Pick<RunBook, 'find'>;
  readonly memory: RepositoryMemory;
  readonly ownMemory: OwnMemory;
  readonly keys: Pick<ModelKeys, 'environmentOf' | 'end'>;
  readonly log: Log;
}

/** The place of a pod's programs, with the runs for which they work. */
export function createHandsPlace(env: Environment, { memory, ownMemory, keys, log, ...runs }: PlaceParts): HandsPlace {
  const { book } = runs;
  const { HAMLET_HANDS_WORKSPACE: workspace, HAMLET_HANDS_HOME: home, HAMLET_STATE_DIR: state } = env;
  const repositoryOf = (run: string) => book.find(run)?.repository ?? null;
  const audienceOf = (run: string): readonly string[] => book.find(run)?.audience ?? [];
  const note = (run: string, written: readonly string[], signal: AbortSignal) =>
    noteMemories(runs, { run, written, signal });
  const [shared, own] = [repositoryFile(memory), ownFile({ memory: ownMemory, nextId, audienceOf, note })];
  const memories = createMemoryFiles({
    memoryOf: (run) => (book.find(run) === undefined ? null : repositoryOf(run) === null ? own : shared),
    book,
    home,
    exports: openExportStore(join(state, EXPORTS_FOLDER)),
    log,
  });
  const programs = environmentIn(env, (run) => book.find(run)?.author ?? null);
  const environmentOf: EnvironmentOf = (place) => ({
    ...programs(place),
    ...keys.environmentOf(place),
    [MEMORY_FILE_VARIABLE]: memories.pathOf(place.run),
  });
  const locks = join(home, '.hamlet/locks');
  const cloned = createWorkTrees({ workspace, locks, environmentOf, repositoryOf });
  const trees = withGivenFiles(cloned, { ...runs, workspace });
  const { HAMLET_HANDS_SOCKET: socket } = env;
  const keepMemory: HandsPlace['keepMemory'] = async (run, signal) => {
    if (socket !== undefined) await memories.keep(socket, run, signal);
  };
  const refusals = createRefusals();
  const ended: HandsPlace['ended'] = (program) => keys.end(program);
  return { environmentOf, workspace, memories, refusals, keepMemory, ended, trees: withMemory(trees, memories) };
}

const nextId = (): string => `g-${randomUUID()}`;

/** The first call of a run in the hands writes its memory file. A program that is the agent's runtime reads all of it. */
const withMemory = (trees: WorkTrees, memories: MemoryFiles): WorkTrees => ({
  of: async (hands, place, signal) => {
    const tree = await trees.of(hands, place, signal);
    await memories.place(hands, place.run, { read: place.call === MIND_CALL ? 'all' : 'own', signal });
    return tree;
  },
});

/** The work trees of the agent: in its hands, or in this container if it has none. */
export const workTreesIn = (env: Environment): ReadText =>
  env.HAMLET_HANDS_SOCKET === undefined
    ? readIn(env.HAMLET_WORKSPACE_DIR)
    : readInHands(env.HAMLET_HANDS_SOCKET, env.HAMLET_HANDS_WORKSPACE);

/** The variables that give programs in the hands the pod's proxy, and git the author of commits. */
function environmentIn(env: Environment, personOf: (run: string) => GitAuthor | null): EnvironmentOf {
  const village = { agentId: env.HAMLET_AGENT_ID, suffix: env.HAMLET_GIT_SUFFIX };
  const hasWayOut = env.HAMLET_BROKER_URL !== undefined;
  return (place) => {
    const author = authorOf(personOf(place.run), village);
    return hasWayOut ? { ...packageEnvironment(author), ...proxyEnvironment(place) } : authorEnvironment(author);
  };
}

/** Describes the pod's hands for the prompt. Asks them until they answer; later prompts reuse that answer, so that they stay the same. */
export function machineIn(env: Environment): () => Promise<Omit<Machine, 'tools'>> {
  let known: HandsSurvey | null = null;
  const survey = async (socket: string): Promise<HandsSurvey | 'silent'> => {
    try {
      known ??= await surveyHands(
        socket,
        environmentIn(env, () => null),
      );
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

export function skillStoreIn(env: Environment, work: WorkVillage): SkillStore {
  return createSkillStore({
    imageFolder: env.HAMLET_SKILLS_DIR,
    socket: env.HAMLET_HANDS_SOCKET,
    workspace: env.HAMLET_HANDS_WORKSPACE,
    environmentOf: environmentIn(env, () => null),
    work,
  });
}
