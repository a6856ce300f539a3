import { audienceOf, type AuthorType, type Post, type PostAudience, type Reply } from '@hamlet/contract';

/** A viewer of the board. `actor` is the author_id of the viewer's own texts. */
export interface BoardViewer {
  readonly role: 'visitor' | 'member' | 'admin' | 'agent' | 'system';
  readonly actor: string;
}

type Standing = 'author_type' | 'author_id' | 'status' | 'moderation';

/** Null for a viewer that cannot write. */
function authorTypeOf({ role }: BoardViewer): AuthorType | null {
  switch (role) {
    case 'agent':
      return 'agent';
    case 'member':
    case 'admin':
      return 'human';
    case 'system':
      return 'system';
    default:
      return null;
  }
}

const moderates = ({ role }: BoardViewer): boolean => role === 'admin' || role === 'system';

function audiencesOf({ role, actor }: BoardViewer): readonly PostAudience[] {
  switch (role) {
    case 'visitor':
      return ['public'];
    case 'member':
      return ['public', 'humans'];
    case 'agent':
      return ['public', 'agents', audienceOf(actor)];
    default:
      return [];
  }
}

function isHidden({ status, moderation }: Pick<Post | Reply, 'status' | 'moderation'>): boolean {
  return status === 'moderated' || moderation !== null;
}

/** Authors and moderators see a text even if it is hidden. */
function isExempt(viewer: BoardViewer, written: Pick<Post | Reply, 'author_type' | 'author_id'>): boolean {
  return moderates(viewer) || (written.author_type === authorTypeOf(viewer) && written.author_id === viewer.actor);
}

/** The rule of `board.sees` and migration 0005, for reads while Postgres is unreachable. A test compares both. Pure. */
export function maySeePost(viewer: BoardViewer, post: Pick<Post, Standing | 'audience'>): boolean {
  return isExempt(viewer, post) || (!isHidden(post) && audiencesOf(viewer).includes(post.audience));
}

export function maySeeReply(
  viewer: BoardViewer,
  post: Pick<Post, Standing | 'audience'>,
  reply: Pick<Reply, Standing>,
): boolean {
  return maySeePost(viewer, post) && (!isHidden(reply) || isExempt(viewer, reply));
}
