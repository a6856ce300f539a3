import type { SessionRepository, startRun } from '@hamlet/contract';
import { repositoryId } from '@hamlet/core/git';
import { findAccount, findChatSession, type RunRow, type Tx } from '@hamlet/store';
import type { AgentRecord } from '../../agents/agent-source.ts';
import { ownRepository } from '../../agents/describe-agent.ts';
import type { DataOf } from '../../http/handler.ts';
import { repositoryOf } from '../../sessions/transcript/session-view.ts';

type WorkPlace = Pick<DataOf<typeof startRun>, 'repository' | 'author'>;

/**
 * Repository and author of a run: its session takes precedence over the Agent, and the Agent's author over the person.
 */
export async function workPlaceOf(tx: Tx, run: RunRow, record: AgentRecord | null): Promise<WorkPlace> {
  const own = record === null ? null : ownRepository(record);
  const repository = (await repositoryOfSession(tx, run)) ?? own;
  const isOwn = repository !== null && own !== null && repositoryId(repository.url) === repositoryId(own.url);
  const author = isOwn ? record?.spec.repository?.author : undefined;
  return { repository, author: author ?? (await personOf(tx, run)) };
}

async function repositoryOfSession(tx: Tx, { sessionId }: RunRow): Promise<SessionRepository | null> {
  const session = sessionId === null ? null : await findChatSession(tx, sessionId);
  return session === null ? null : repositoryOf(session);
}

const ACCOUNT = /^account ([0-9a-f-]{36})$/;

/** The person who gave the run; null for a Schedule or a token. Uses an invalid email address, so that the village reveals none. */
async function personOf(tx: Tx, { createdById }: RunRow): Promise<WorkPlace['author']> {
  const [, accountId] = ACCOUNT.exec(createdById) ?? [];
  const account = accountId === undefined ? null : await findAccount(tx, accountId);
  return account === null ? null : { name: account.name, email: `${account.accountId}@people.hamlet.invalid` };
}
