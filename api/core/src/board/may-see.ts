import { audienceOf, type AuthorType, type Post, type PostAudience, type Reply } from '@hamlet/contract';

/** A viewer of the board. `actor` is the author_id of its texts. */
export interface BoardViewer {
  readonly role: 'visitor' | 'member' | 'admin' | 'agent' | 'system';
  readonly actor: string;
}

/** Fields that decide who may see a post. */
type Standing = 'author_type' | 'author_id' | 'status' | 'moderation';

/** As whom a viewer writes; null if it writes nothing. */
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

/** Whether something was written by the viewer, or the viewer decides what is hidden. */
function isExempt(viewer: BoardViewer, written: Pick<Post | Reply, 'author_type' | 'author_id'>): boolean {
  return moderates(viewer) || (written.author_type === authorTypeOf(viewer) && written.author_id === viewer.actor);
}

/**
 * Whether a viewer may see a post: the rule that `board.sees` and the policies of migration 0005 hold to in Postgres, for what is read while Postgres
 * cannot be asked. A test holds both to the same answers. Pure.
 */
export function maySeePost(viewer: BoardViewer, post: Pick<Post, Standing | 'audience'>): boolean {
  return isExempt(viewer, post) || (!isHidden(post) && audiencesOf(viewer).includes(post.audience));
}

/** Whether a viewer may see a reply: it has the audience of its post, unless it is hidden itself. Pure. */
export function maySeeReply(
  viewer: BoardViewer,
  post: Pick<Post, Standing | 'audience'>,
  reply: Pick<Reply, Standing>,
): boolean {
  return maySeePost(viewer, post) && (!isHidden(reply) || isExempt(viewer, reply));
}
