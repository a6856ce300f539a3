import * as contract from '@hamlet/contract/resident';
import type {
  beginCall,
  CallData,
  CallInput,
  CallOutcome,
  CallReport,
  DeliverableKind,
  JournalEntry,
  MemoryChange,
  PermissionWhy,
  Post,
  ResidentReport,
  RunSkill,
  useRepositoryMemory,
} from '@hamlet/contract';
import type { Payload } from '@hamlet/engine';
import { mapped, requestsOf, type HttpVillageOptions } from './send-request.ts';
import type { RunLease } from './village.ts';

interface AskedCall {
  readonly call_id: string;
  readonly request: string;
  readonly tool: string;
  readonly arguments: string;
  readonly why: PermissionWhy;
}

/** A call in the hands: `boot` identifies their current start. `known`: only requests the state of an earlier start. */
interface StartedCall {
  readonly tool: string;
  readonly arguments: string;
  readonly boot: string;
  readonly known: boolean;
}
export type BegunCall = Readonly<CallData<typeof beginCall>>;

export interface ArtifactUpload {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
  readonly deliverable?: DeliverableKind;
}

export interface JournalBatch {
  readonly entries: readonly JournalEntry[];
  readonly payloads: readonly Payload[];
}

/** A use of a repository's memory: first changes, then reads. Reading `all` taints the run if it contains outside text. */
export interface MemoryUse {
  readonly changes?: readonly MemoryChange[];
  /** The changes were found in a file: nothing proves which run made them. */
  readonly left?: boolean;
  readonly read: 'none' | 'own' | 'all';
}
export type UsedMemory = Readonly<CallData<typeof useRepositoryMemory>>;

export interface PostQuery {
  readonly q?: string;
  readonly status?: Post['status'];
  readonly tag?: string;
  readonly limit: number;
}

/** Maximum number of replies of a thread that are read, oldest first. */
const REPLIES_SEEN = 100;

/** The part of the API that only an agent with a model uses, in addition to `Village`. */
export type WorkVillage = ReturnType<typeof createHttpWork>;

export function createHttpWork(options: HttpVillageOptions) {
  const requests = requestsOf(options);
  const { read, params } = requests;
  return {
    ...skillRequests(requests),
    ...waitRequests(requests),
    ...fileRequests(requests),
    ...memoryRequests(requests),
    posts: async (query: PostQuery) => mapped(await read(contract.listPosts, { query }), ({ posts }) => posts),
    thread: (post_id: string) => read(contract.getPost, { params: { post_id }, query: { limit: REPLIES_SEEN } }),
    /** A page of the village's Schedules; the API shows the agent only its own ones. */
    schedules: (cursor: string | undefined) =>
      read(contract.listSchedules, { query: cursor === undefined ? {} : { cursor } }),
    workers: async ({ active, run }: { readonly active: boolean; readonly run?: string }) => {
      const query = { active: active ? ('true' as const) : ('false' as const) };
      const asked = run === undefined ? query : { ...query, run_id: run };
      return mapped(await read(contract.listWorkers, { params, query: asked }), ({ workers }) => workers);
    },
    /** Performs a call with an effect outside the pod. The API judges it, and executes it once. */
    performCall: async (
      run_id: string,
      call_id: string,
      body: RunLease & { readonly tool: string; readonly arguments: string },
    ) => mapped(await read(contract.performCall, { params: { run_id, call_id }, body }), ({ outcome }) => outcome),
    beginCall: (run_id: string, call_id: string, body: RunLease & StartedCall) =>
      read(contract.beginCall, { params: { run_id, call_id }, body }),
    endCall: (
      run_id: string,
      call_id: string,
      body: RunLease & { readonly outcome: CallOutcome; readonly report: CallReport },
    ) => read(contract.endCall, { params: { run_id, call_id }, body }),
    reportCapabilities: (body: ResidentReport) => read(contract.reportCapabilities, { params, body }),
    askPermission: async (run_id: string, lease: RunLease, call: AskedCall) => {
      const answer = await read(contract.askPermission, { params: { run_id }, body: { ...lease, ...call } });
      return mapped(answer, ({ permission }) => permission);
    },
    /** Adds entries of one run to the API's mirror of the journal; returns the position of the last one that the mirror has. */
    mirror: (run_id: string, lease: RunLease, { entries, payloads }: JournalBatch) => {
      const body = { ...lease, entries: [...entries], payloads: [...payloads] };
      return read(contract.storeRunJournal, { params: { run_id }, body });
    },
    publishWords: (run_id: string, lease: RunLease, words: { readonly ask: number; readonly text: string }) =>
      read(contract.publishRunWords, { params: { run_id }, body: { ...lease, ...words } }),
    /** Entries of the mirror after a position, oldest first; empty at the end. */
    mirrored: (after: number) => read(contract.readJournal, { params, query: { after } }),
  };
}

const waitRequests = ({ read }: ReturnType<typeof requestsOf>) => ({
  /** Releases the lease while people are asked; if no permission is pending, the run continues with the answers. */
  waitRun: (run_id: string, lease: RunLease) => read(contract.waitRun, { params: { run_id }, body: lease }),
  /** Releases the lease until the model may answer again; a run that is to be cancelled stays running. */
  parkRun: (run_id: string, lease: RunLease, why: { readonly code: string; readonly wait_ms: number }) =>
    read(contract.parkRun, { params: { run_id }, body: { ...lease, ...why } }),
});

const fileRequests = ({ read }: ReturnType<typeof requestsOf>) => ({
  keepArtifact: async (run_id: string, call_id: string, upload: RunLease & ArtifactUpload) => {
    const { cycle, attempt, sha256, name, mediaType, bytes, deliverable } = upload;
    const query = { cycle, attempt, name, media_type: mediaType, ...(deliverable && { deliverable }) };
    const sent = { params: { run_id, call_id, sha256 }, query, body: bytes };
    return mapped(await read(contract.keepArtifact, sent), ({ artifact }) => artifact);
  },
  /** A file of the message of a run, in base64. */
  runFile: async (run_id: string, cycle: number, sha256: string) =>
    mapped(
      await read(contract.readRunFile, { params: { run_id, sha256 }, query: { cycle } }),
      ({ content }) => content,
    ),
});

const skillRequests = ({ read, params }: ReturnType<typeof requestsOf>) => ({
  scripts: async () => mapped(await read(contract.listScripts, { params }), ({ scripts }) => scripts),
  /** One of the agent's scripts in a version; null for its newest one. */
  script: (name: string, version: string | null) =>
    read(contract.getScript, { params: { ...params, name }, query: version === null ? {} : { version } }),
  skillFiles: async (skill: string) =>
    mapped(await read(contract.readSkillFiles, { params: { ...params, skill } }), ({ files }) => files),
  /** Fixes the skills of a run; returns those that its first attempt fixed. */
  pinSkills: async (run_id: string, lease: RunLease, skills: readonly RunSkill[]) => {
    const body = { ...lease, skills: [...skills] };
    return mapped(await read(contract.pinSkills, { params: { run_id }, body }), ({ skills: pinned }) => pinned);
  },
  /** Records that the model asked for a skill; returns the run's version. */
  loadSkill: (
    run_id: string,
    lease: RunLease,
    { name: skill, call: call_id, why }: { readonly name: string; readonly call: string; readonly why: string },
  ) => read(contract.loadSkill, { params: { run_id, skill }, body: { ...lease, call_id, why } }),
});

function memoryRequests({ read, params }: ReturnType<typeof requestsOf>) {
  return {
    noteMemories: (
      run_id: string,
      lease: RunLease,
      { written, recalled, outside }: Readonly<Record<'written' | 'recalled' | 'outside', readonly string[]>>,
    ) => {
      const body = { ...lease, written: [...written], recalled: [...recalled], outside: [...outside] };
      return read(contract.noteMemories, { params: { run_id }, body });
    },
    peopleOfSession: async (session_id: string) =>
      mapped(await read(contract.getSession, { params: { session_id } }), ({ session }) =>
        session.people.map(({ id }) => id),
      ),
    /** Reports changed memories, and returns the changes by people. */
    syncMemory: (body: CallInput<typeof contract.syncAgentMemory>['body']) =>
      read(contract.syncAgentMemory, { params, body }),
    repositoryMemory: (run_id: string, lease: RunLease, { changes = [], left = false, read: wanted }: MemoryUse) => {
      const body = { ...lease, changes: [...changes], left, read: wanted };
      return read(contract.useRepositoryMemory, { params: { run_id }, body });
    },
  };
}
