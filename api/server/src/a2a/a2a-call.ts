import type { Db } from '@hamlet/store';
import type { AgentRecord } from '../agents/agent-source.ts';
import type { EgressOf } from '../egress/egress-of.ts';
import type { Caller } from '../http/handler.ts';
import type { AskVillage } from './ask-village.ts';

/** One call of a caller to one agent. Readers and writers of tasks take the parts that they need. */
export interface A2aCall {
  readonly db: Db;
  readonly agentId: string;
  readonly record: AgentRecord;
  readonly caller: Caller;
  /** The version of the protocol that the caller speaks. */
  readonly version: string;
  /** Origin of the addresses of files. */
  readonly origin: string;
  readonly egressOf: EgressOf;
  readonly ask: AskVillage;
}
