import type { PostAudience, CallInput, createPost } from '@hamlet/contract';
import { POST_TAGS_MAX, PostText, PostTitle, Tags } from '@hamlet/contract';
import type { Reading } from '../../client/drafts.ts';

export type DraftPlace =
  | { readonly kind: 'none' }
  | { readonly kind: 'landmark'; readonly id: string }
  | { readonly kind: 'tile'; readonly x: number; readonly y: number };

/** The fields of a post while a person writes it. `tags` is one line of text. */
export interface ComposeDraft {
  readonly title: string;
  readonly body: string;
  readonly tags: string;
  readonly audience: PostAudience;
  readonly place: DraftPlace;
  /** True if the post is in the name of the village; for admins only. */
  readonly village: boolean;
}
export const EMPTY_DRAFT: ComposeDraft = {
  title: '',
  body: '',
  tags: '',
  audience: 'public',
  place: { kind: 'none' },
  village: false,
};

type ComposeProblems = Readonly<Partial<Record<'title' | 'body' | 'tags', string>>>;
type PostBody = CallInput<typeof createPost>['body'];
type ComposeReading = Reading<{ body: PostBody }, ComposeProblems>;

/** The tags in a line such as `question, #help`, without duplicates. */
export function readTags(line: string): string[] {
  return [
    ...new Set(
      line
        .toLowerCase()
        .split(/[\s,;]+/)
        .map((tag) => tag.replace(/^#+/, ''))
        .filter((tag) => tag !== ''),
    ),
  ];
}

export const tagsText = (tags: readonly string[]): string => tags.join(', ');

export function toggleTag(line: string, tag: string): string {
  const tags = readTags(line);
  return tagsText(tags.includes(tag) ? tags.filter((other) => other !== tag) : [...tags, tag]);
}

/** Validates a draft by the schema of the contract; each problem is a sentence. */
export function readCompose(draft: ComposeDraft): ComposeReading {
  const title = PostTitle.safeParse(draft.title);
  const body = PostText.safeParse(draft.body);
  const tags = Tags.safeParse(readTags(draft.tags));
  if (title.success && body.success && tags.success) {
    return {
      ok: true,
      body: {
        title: title.data,
        body: body.data,
        tags: tags.data,
        audience: draft.audience,
        place: placeOf(draft.place),
        ...(draft.village ? { author_type: 'system' } : {}),
      },
    };
  }
  return {
    ok: false,
    problems: {
      ...(title.success
        ? {}
        : {
            title:
              draft.title.trim() === '' ? 'Write what it is about, in a line' : 'This title cannot be kept: shorten it',
          }),
      ...(body.success
        ? {}
        : { body: draft.body.trim() === '' ? 'Write what you want to say' : 'This text cannot be kept: shorten it' }),
      ...(tags.success ? {} : { tags: tagProblem(readTags(draft.tags)) }),
    },
  };
}

function tagProblem(tags: readonly string[]): string {
  return tags.length > POST_TAGS_MAX
    ? `At most ${POST_TAGS_MAX} tags`
    : 'Lower case letters, digits and hyphens, for example help-wanted';
}

function placeOf(place: DraftPlace): PostBody['place'] {
  if (place.kind === 'none') return null;
  return place.kind === 'landmark' ? { landmark_id: place.id } : { x: place.x, y: place.y };
}
