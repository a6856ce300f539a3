import * as contract from '@hamlet/contract/resident';
import { mapped, requestsOf, type HttpVillageOptions } from './send-request.ts';
import type { WorkVillage } from './work-village.ts';

/** Maximum number of replies of a thread that are read, oldest first. */
const REPLIES_SEEN = 100;

/** The API over HTTP, as an agent with a model uses it. */
export function createHttpWork(options: HttpVillageOptions): WorkVillage {
  const { read, params } = requestsOf(options);
  return {
    posts: async (query) => mapped(await read(contract.listPosts, { query }), ({ posts }) => posts),
    thread: (post_id) => read(contract.getPost, { params: { post_id }, query: { limit: REPLIES_SEEN } }),
    schedules: (cursor) => read(contract.listSchedules, { query: cursor === undefined ? {} : { cursor } }),
    workers: async ({ active, run }) => {
      const query = { active: active ? ('true' as const) : ('false' as const) };
      const asked = run === undefined ? query : { ...query, run_id: run };
      return mapped(await read(contract.listWorkers, { params, query: asked }), ({ workers }) => workers);
    },
    performCall: async (run_id, call_id, body) =>
      mapped(await read(contract.performCall, { params: { run_id, call_id }, body }), ({ outcome }) => outcome),
    beginCall: (run_id, call_id, body) => read(contract.beginCall, { params: { run_id, call_id }, body }),
    endCall: (run_id, call_id, body) => read(contract.endCall, { params: { run_id, call_id }, body }),
    keepArtifact: async (run_id, call_id, { cycle, attempt, sha256, name, mediaType, bytes, deliverable }) => {
      const query = { cycle, attempt, name, media_type: mediaType, ...(deliverable && { deliverable }) };
      const sent = { params: { run_id, call_id, sha256 }, query, body: bytes };
      return mapped(await read(contract.keepArtifact, sent), ({ artifact }) => artifact);
    },
    noteMemories: async (run_id, lease, { written, recalled }) => {
      const body = { ...lease, written: [...written], recalled: [...recalled] };
      return mapped(await read(contract.noteMemories, { params: { run_id }, body }), ({ tainted }) => tainted);
    },
    repositoryMemory: (run_id, lease, { changes = [], left = false, read: wanted }) => {
      const body = { ...lease, changes: [...changes], left, read: wanted };
      return read(contract.useRepositoryMemory, { params: { run_id }, body });
    },
    scripts: async () => mapped(await read(contract.listScripts, { params }), ({ scripts }) => scripts),
    script: (name, version) =>
      read(contract.getScript, { params: { ...params, name }, query: version === null ? {} : { version } }),
    skillFiles: async (skill) =>
      mapped(await read(contract.readSkillFiles, { params: { ...params, skill } }), ({ files }) => files),
    pinSkills: async (run_id, lease, skills) => {
      const body = { ...lease, skills: [...skills] };
      return mapped(await read(contract.pinSkills, { params: { run_id }, body }), ({ skills: pinned }) => pinned);
    },
    loadSkill: (run_id, lease, { name: skill, call: call_id, why }) =>
      read(contract.loadSkill, { params: { run_id, skill }, body: { ...lease, call_id, why } }),
    reportCapabilities: (body) => read(contract.reportCapabilities, { params, body }),
    askPermission: async (run_id, lease, call) => {
      const answer = await read(contract.askPermission, { params: { run_id }, body: { ...lease, ...call } });
      return mapped(answer, ({ permission }) => permission);
    },
    waitRun: (run_id, lease) => read(contract.waitRun, { params: { run_id }, body: lease }),
    mirror: (run_id, lease, { entries, payloads }) => {
      const body = { ...lease, entries: [...entries], payloads: [...payloads] };
      return read(contract.storeRunJournal, { params: { run_id }, body });
    },
    publishWords: (run_id, lease, { ask, text }) =>
      read(contract.publishRunWords, { params: { run_id }, body: { ...lease, ask, text } }),
    mirrored: (after) => read(contract.readJournal, { params, query: { after } }),
  };
}
