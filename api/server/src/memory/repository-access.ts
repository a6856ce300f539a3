import { z } from 'zod';
import type { AgentRecord } from '../agents/agent-source.ts';
import { ownRepository } from '../agents/describe-agent.ts';
import type { Actor } from '../http/actor.ts';
import { refused, type Refused } from '../http/outcome.ts';
import { memoryKey } from './memory-key.ts';

/** `git.example.org/team/app`, or `git.example.org/team/*` for every repository below it. */
const PATTERN = /^[a-z0-9.-]+(:[0-9]{1,5})?(\/[^/\s*]+)*(\/\*)?$/;
const EVERYBODY = '*';

/**
 * Repositories, with the members who may open sessions on them and read their memory: names of accounts, or `*` for all members.
 */
export const RepositoryMembers = z
  .array(
    z.strictObject({
      repository: z.string().max(1_000).regex(PATTERN, 'write host and path, such as git.example.org/team/*'),
      members: z.array(z.string().min(1).max(64)).min(1).max(200),
    }),
  )
  .max(100);
export type RepositoryMembers = z.infer<typeof RepositoryMembers>;

function fits(pattern: string, key: string): boolean {
  return pattern.endsWith('/*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
}

/** `memoryKey` does not resolve dots in addresses of ssh: `team/../x` would match `team/*`. */
const hasDotSegment = (key: string): boolean => key.split('/').some((segment) => segment === '.' || segment === '..');

/** An actor, or a person of a session with their present role. */
interface RepositoryUser {
  readonly role: Actor['role'];
  readonly name?: string;
}
type MayUseRepository = (user: RepositoryUser) => (key: string | null) => boolean;

/**
 * Returns a function that decides for a person, then for one repository after another, whether the person may open sessions on it and
 * read its memory: admins on every repository, members on those listed for them and on every Agent's own. A repository is given by its
 * `memoryKey`, null for an address that is too long.
 * @param agents the agents of the village, at the time of the question
 */
export function repositoryAccess(
  listed: RepositoryMembers,
  agents: () => readonly Pick<AgentRecord, 'spec'>[],
): MayUseRepository {
  return ({ role, name: asked = '' }) => {
    if (role !== 'member') return () => role === 'admin';
    const name = asked.toLowerCase();
    const patterns = listed
      .filter(({ members }) => members.some((member) => member === EVERYBODY || member.toLowerCase() === name))
      .map(({ repository }) => repository);
    const own = new Set(agents().map((record) => memoryKey(ownRepository(record)?.url ?? '')));
    return (key) =>
      key !== null && !hasDotSegment(key) && (own.has(key) || patterns.some((pattern) => fits(pattern, key)));
  };
}

type Address = string | null | undefined;

/** The refusals that follow from the list, for the address of a session's repository, if it has one. Pure. */
export function repositoryRefusals(mayUse: MayUseRepository) {
  const isOutsider = (url: Address, user: RepositoryUser): boolean =>
    typeof url === 'string' && !mayUse(user)(memoryKey(url));
  return {
    /** Refuses an actor who may not use the repository. */
    refuseRepository: (url: Address, actor: RepositoryUser): Refused | null =>
      isOutsider(url, actor) ? refused('repository_not_allowed') : null,
    /** Refuses a repository to a group of people if one of them may not use it, whom the refusal names. */
    refuseRepositoryTo: (
      url: Address,
      people: readonly (RepositoryUser & { readonly name: string })[],
    ): Refused | null => {
      const outsider = people.find((person) => isOutsider(url, person));
      if (outsider === undefined) return null;
      const what = `The village's list of repositories does not name this one for ${outsider.name}`;
      return refused(
        'repository_not_allowed',
        `${what}: ask an admin to add it, or leave ${outsider.name} out of the session`,
      );
    },
  };
}
