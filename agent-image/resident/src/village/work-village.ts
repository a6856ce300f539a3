import type {
  Artifact,
  beginCall,
  CallData,
  CallOutcome,
  CallReport,
  DeliverableKind,
  endCall,
  JournalEntry,
  Permission,
  PermissionWhy,
  Post,
  Reply,
  ResidentReport,
  Run,
  RunSkill,
  MemoryChange,
  ScheduleView,
  Script,
  ScriptDetail,
  SkillFiles,
  useRepositoryMemory,
  Worker,
} from '@hamlet/contract';
import type { Payload } from '@hamlet/engine';
import type { Answer, RunLease } from './village.ts';

/** A call for which people are asked. */
export interface AskedCall {
  readonly call_id: string;
  readonly request: string;
  readonly tool: string;
  readonly arguments: string;
  readonly why: PermissionWhy;
}

/** A call in the hands: `boot` names their present start. */
export interface StartedCall {
  readonly tool: string;
  readonly arguments: string;
  readonly boot: string;
  readonly known: boolean;
}
export type BegunCall = Readonly<CallData<typeof beginCall>>;

/** Bytes that a call made for people, with their SHA-256 in hexadecimal digits. */
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

/** A use of the memory of the repository of a run: changes first, then what is read. */
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

export interface WorkerQuery {
  readonly active: boolean;
  readonly run?: string;
}

export interface SchedulePage {
  readonly schedules: readonly ScheduleView[];
  readonly next_cursor: string | null;
}

/** The part of the API that an agent with a model works with, besides `Village`. */
export interface WorkVillage {
  posts(query: PostQuery): Promise<Answer<readonly Post[]>>;
  thread(postId: string): Promise<Answer<{ readonly post: Post; readonly replies: readonly Reply[] }>>;
  /** A page of the Schedules of the village, of which the API shows the agent its own. */
  schedules(cursor: string | undefined): Promise<Answer<SchedulePage>>;
  /** The agent's workers, newest first. */
  workers(query: WorkerQuery): Promise<Answer<readonly Worker[]>>;
  /** Performs a call with an effect outside of the pod. The API judges it, and executes it once. */
  performCall(
    runId: string,
    callId: string,
    call: RunLease & { readonly tool: string; readonly arguments: string },
  ): Promise<Answer<CallOutcome>>;
  /** Stores the start of a call in the hands before it runs; with `known`, only asks for the state of an earlier start. */
  beginCall(runId: string, callId: string, call: RunLease & StartedCall): Promise<Answer<BegunCall>>;
  /** Stores the end of a call in the hands. */
  endCall(
    runId: string,
    callId: string,
    end: RunLease & { readonly outcome: CallOutcome; readonly report: CallReport },
  ): Promise<Answer<CallData<typeof endCall>>>;
  /** Keeps bytes of a call that has begun. */
  keepArtifact(runId: string, callId: string, upload: RunLease & ArtifactUpload): Promise<Answer<Artifact>>;
  /** Notes the memories that a run writes or recalls. Returns the recalled ones that a tainted run wrote. */
  noteMemories(
    runId: string,
    lease: RunLease,
    memories: { readonly written: readonly string[]; readonly recalled: readonly string[] },
  ): Promise<Answer<readonly string[]>>;
  /** Changes and reads the memory of the repository in which a run works. Reading `all` taints the run if strangers wrote something. */
  repositoryMemory(runId: string, lease: RunLease, use: MemoryUse): Promise<Answer<UsedMemory>>;
  /** The agent's scripts, by name. */
  scripts(): Promise<Answer<readonly Script[]>>;
  /** One of the agent's scripts in a version; null: its newest one. */
  script(name: string, version: string | null): Promise<Answer<ScriptDetail>>;
  /** Files of a skill that lies in a ConfigMap. */
  skillFiles(name: string): Promise<Answer<SkillFiles>>;
  /** Fixes the skills of a run; returns those that its first attempt fixed. */
  pinSkills(runId: string, lease: RunLease, skills: readonly RunSkill[]): Promise<Answer<readonly RunSkill[]>>;
  /** Notes that the model asks for a skill; returns the version that the run has. */
  loadSkill(
    runId: string,
    lease: RunLease,
    load: { readonly name: string; readonly call: string; readonly why: string },
  ): Promise<Answer<{ readonly sha256: string }>>;
  /** Reports what was found of everything that the Agent was promised. */
  reportCapabilities(report: ResidentReport): Promise<Answer<unknown>>;
  askPermission(runId: string, lease: RunLease, call: AskedCall): Promise<Answer<Permission>>;
  /** Gives the lease back while people are asked; if no permission is pending, the run continues with the answers. */
  waitRun(
    runId: string,
    lease: RunLease,
  ): Promise<Answer<{ readonly run: Run; readonly permissions: readonly Permission[] }>>;
  /** Adds entries of one run to the API's mirror of the journal; returns the place of the last one that the mirror has. */
  mirror(runId: string, lease: RunLease, batch: JournalBatch): Promise<Answer<{ readonly stored_through: number }>>;
  /** Publishes words of an answer under way, which may be lost. */
  publishWords(
    runId: string,
    lease: RunLease,
    words: { readonly ask: number; readonly text: string },
  ): Promise<Answer<unknown>>;
  /** Entries of the mirror after a place, oldest first; empty at the end. */
  mirrored(after: number): Promise<Answer<JournalBatch>>;
}
