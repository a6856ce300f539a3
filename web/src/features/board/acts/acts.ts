import { type Post, type Reply, type Role, roleMay } from '@hamlet/contract';
import { isOwn, type ViewerId } from '../../../client/labels.ts';

const ACTS = ['reward', 'penalize', 'resolve', 'close', 'reopen', 'edit', 'flag', 'hide', 'restore', 'keep'] as const;
export type Act = (typeof ACTS)[number];

interface Subject {
  readonly post: Pick<Post, 'status' | 'author_id' | 'author_type' | 'flags'>;
  readonly reply: Pick<Reply, 'status' | 'author_id' | 'author_type' | 'flags'> | null;
}

/** In the order of the buttons, without acts that the API would refuse. A visitor sees the acts of a member. */
export function actsFor({ post, reply }: Subject, who: { readonly role: Role; readonly viewer: ViewerId }): Act[] {
  const of = reply ?? post;
  const role = who.role === 'visitor' ? 'member' : who.role;
  const own = isOwn(of.author_id, who.viewer);
  const moderates = roleMay(role, 'board:moderate');
  if (of.status === 'moderated') return moderates ? ['restore'] : [];
  const offered: readonly (readonly [boolean, readonly Act[]])[] = [
    [of.author_type === 'agent' && roleMay(role, 'economy:judge'), ['reward', 'penalize']],
    [reply === null && (own || moderates), SETTLES[post.status]],
    [own, ['edit']],
    [!own && roleMay(role, 'board:write'), ['flag']],
    [moderates, ['hide']],
    [moderates && isFlagged(of), ['keep']],
  ];
  return offered.flatMap(([may, acts]) => (may ? acts : []));
}

const isFlagged = ({ flags = 0 }: { readonly flags?: number | undefined }): boolean => flags > 0;

const SETTLES: Readonly<Record<Post['status'], readonly Act[]>> = {
  open: ['resolve', 'close'],
  resolved: ['close', 'reopen'],
  closed: ['reopen'],
  moderated: [],
};
