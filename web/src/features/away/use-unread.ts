import { listUnread, markSeen, roleMay } from '@hamlet/contract';
import { useEffect, useMemo, useState } from 'react';
import { useAsking, useLive } from '../../client/query/use-live.ts';
import { useHintedPace, useRole } from '../village-context.ts';

const EVERY_MS = 10_000;
const NONE = { posts: [], sessions: [] } as const;

interface Unread {
  /** Number of unread texts by post, and by session. */
  readonly posts: ReadonlyMap<string, number>;
  readonly sessions: ReadonlyMap<string, number>;
  /** Number of unread texts in sessions by agent. */
  readonly agents: ReadonlyMap<string, number>;
  again(): void;
}

/** The texts that the viewer has not read; empty for a visitor. All components share one request. */
export function useUnread(): Unread {
  const isPerson = roleMay(useRole(), 'account:read');
  const { data, again } = useLive(listUnread, isPerson ? {} : null, useHintedPace(EVERY_MS));
  const maps = useMemo(() => {
    const { posts, sessions } = data ?? NONE;
    const agents = new Map<string, number>();
    for (const { agent_id: id, texts } of sessions) agents.set(id, (agents.get(id) ?? 0) + texts);
    return {
      posts: new Map(posts.map(({ post_id: id, texts }) => [id, texts])),
      sessions: new Map(sessions.map(({ session_id: id, texts }) => [id, texts])),
      agents,
    };
  }, [data]);
  return { ...maps, again };
}

/**
 * Marks a post or session as read while it is open and the page is visible: once its texts are shown, and again for each
 * later one.
 */
export function useRead(kind: 'post' | 'session', id: string, shown: number): void {
  const { api } = useAsking();
  const { posts, sessions, again } = useUnread();
  const texts = (kind === 'post' ? posts : sessions).get(id) ?? 0;
  const isVisible = useVisible();
  useEffect(() => {
    if (shown === 0 || !isVisible) return;
    void api.call(markSeen, { body: { things: [`${kind}/${id}`] } }).then(({ ok }) => {
      if (ok && texts > 0) again();
    });
  }, [texts, shown, isVisible, kind, id, api]);
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const look = (): void => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isVisible;
}
