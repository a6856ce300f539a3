import { HINTED, type Hinted, type RoutePermission, type ViewerHint } from '@hamlet/contract';
import { INTERNAL_EVENTS_CHANNEL, readConcerned, RUN_CHANGES_CHANNEL, SESSION_EVENTS_CHANNEL } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Actor } from '../http/actor.ts';
import type { SocketRoute } from '../http/pipeline/serve-sockets.ts';
import type { Services } from '../service/services.ts';
import { readableKinds } from '../timeline/readable-kinds.ts';

/** A viewer gets at most one hint in this time, with all that changed in it. */
const GATHER_MS = 2_000;
/** With more changed runs and sessions than this, everyone who may read some gets the hint. */
const LOOKED_UP_MAX = 500;

/** The permissions of the routes that a hint asks to read again. */
const PERMISSION_OF_HINT = {
  needs: 'runs:read',
  unread: 'account:read',
  work: 'runs:read',
  agents: 'world:read',
  freeze: 'anyone',
} as const satisfies Readonly<Record<Hinted, RoutePermission>>;

const OF_RUN: readonly Hinted[] = ['needs', 'unread', 'work', 'agents'];
const OF_SESSION: readonly Hinted[] = ['needs', 'unread'];

interface Follower {
  readonly actor: Actor;
  readonly may: ReadonlySet<Hinted>;
  readonly send: (text: string) => void;
}

interface Gathered {
  readonly of: Set<Hinted>;
  readonly runIds: Set<string>;
  readonly sessionIds: Set<string>;
}
const nothing = (): Gathered => ({ of: new Set(), runIds: new Set(), sessionIds: new Set() });

type Ports = Pick<Services, 'db' | 'log'> & {
  readonly notifications: Pick<Services['notifications'], 'on'>;
  readonly source: Pick<AgentSource, 'onChange'>;
};

/** The hints of changed runs and sessions: admins get all, other people those of their own sessions and of open runs. */
async function hintsOfTexts(
  db: Ports['db'],
  { runIds, sessionIds }: Gathered,
): Promise<(actor: Actor) => readonly Hinted[]> {
  const all = [...(runIds.size > 0 ? OF_RUN : []), ...(sessionIds.size > 0 ? OF_SESSION : [])];
  if (all.length === 0 || runIds.size + sessionIds.size > LOOKED_UP_MAX) return () => all;
  const { people, isOpen } = await readConcerned(db, { runIds: [...runIds], sessionIds: [...sessionIds] });
  const concerned = new Set(people);
  return (actor) => {
    if (actor.role === 'admin' || concerned.has(actor.id)) return all;
    return isOpen ? OF_RUN : [];
  };
}

/**
 * Sends hints to pages, so that they read again after a change instead of every few seconds. A hint names only kinds of reads, so
 * it shows neither a run nor a session.
 */
export function startViewerHints({ db, notifications, source, log }: Ports) {
  const followers = new Set<Follower>();
  let gathered = nothing();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    const now = gathered;
    gathered = nothing();
    const ofTexts = await hintsOfTexts(db, now);
    for (const { actor, may, send } of followers) {
      const of = [...new Set([...now.of, ...ofTexts(actor)])].filter((kind) => may.has(kind));
      if (of.length > 0) send(JSON.stringify({ type: 'hint', of } satisfies ViewerHint));
    }
  }

  function gather(change: (into: Gathered) => void): void {
    if (followers.size === 0) return;
    change(gathered);
    timer ??= setTimeout(() => {
      flush().catch((error: unknown) => log('warn', 'a hint was lost; pages read again by themselves', { error }));
    }, GATHER_MS);
  }

  const note = (...of: readonly Hinted[]): void => gather((into) => of.forEach((kind) => into.of.add(kind)));
  // An agent that cannot run is a need.
  source.onChange(() => note('agents', 'needs'));
  // A null payload means a new connection, which may have missed notifications.
  notifications.on(INTERNAL_EVENTS_CHANNEL, (event) => {
    if (event === null) note(...HINTED);
    else if (event === 'village') note('freeze');
    else note('agents', 'work');
  });
  notifications.on(RUN_CHANGES_CHANNEL, (id) => id !== null && gather(({ runIds }) => runIds.add(id)));
  notifications.on(SESSION_EVENTS_CHANNEL, (id) => id !== null && gather(({ sessionIds }) => sessionIds.add(id)));

  return {
    /** The route of a socket, which also sends hints to a viewer that asks for them with `?hints=1`. */
    hinting: ({ permission, attach }: SocketRoute): SocketRoute => ({
      permission,
      attach: (attached) => {
        const { webSocket, actor, query } = attached;
        attach(attached);
        if (query.get('hints') !== '1') return;
        const may = new Set(readableKinds(actor, HINTED, PERMISSION_OF_HINT));
        const follower: Follower = { actor, may, send: (text) => webSocket.send(text) };
        followers.add(follower);
        webSocket.on('close', () => followers.delete(follower));
      },
    }),
    stop: (): void => clearTimeout(timer),
  };
}
