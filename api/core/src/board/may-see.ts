import { audienceOf, type AuthorType, type Post, type PostAudience, type Reply } from '@hamlet/contract';

/** A viewer of the board. `actor` is the author_id of the viewer's own texts. */
export interface BoardViewer {
  readonly role: 'visitor' | 'member' | 'admin' | 'agent' | 'system';
  readonly actor: string;
}

/** Fields of a post or reply that decide about its visibility. */
type Standing = 'author_type' | 'author_id' | 'status' | 'moderation';

/** Author type of a viewer's texts; null for a viewer that cannot write. */
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

function moderates({ role }: BoardViewer): boolean {
  return role === 'admin' || role === 'system';
}

/** The audiences that a viewer belongs to; none if the role is not known. */
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

/** True if the viewer wrote the text or moderates the board: such a viewer sees it even if it is hidden. */
function isExempt(viewer: BoardViewer, written: Pick<Post | Reply, 'author_type' | 'author_id'>): boolean {
  return moderates(viewer) || (written.author_type === authorTypeOf(viewer) && written.author_id === viewer.actor);
}

/**
 * True if a viewer may see a post. The same rule as `board.sees` and the policies of migration 0005 in Postgres, for reads while
 * Postgres is unreachable. A test compares the answers of both. Pure.
 */
export function maySeePost(viewer: BoardViewer, post: Pick<Post, Standing | 'audience'>): boolean {
  return isExempt(viewer, post) || (!isHidden(post) && audiencesOf(viewer).includes(post.audience));
}

/** True if a viewer may see a reply: the viewer may see its post, and the reply itself is not hidden from the viewer. Pure. */
export function maySeeReply(
  viewer: BoardViewer,
  post: Pick<Post, Standing | 'audience'>,
  reply: Pick<Reply, Standing>,
): boolean {
  return maySeePost(viewer, post) && (!isHidden(reply) || isExempt(viewer, reply));
}
