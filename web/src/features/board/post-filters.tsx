import { type PostAudience, roleMay, VILLAGE_TAGS } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { POST_FILTERS } from '../../client/url-state.ts';
import { LinkButton } from '../../ui/controls.tsx';
import { Choices, FilterChip } from '../../ui/fields.tsx';
import { SearchField } from '../navigation/search-field.tsx';
import { useAgentNames, useRole, useVillage, useVillageState } from '../village-context.ts';
import { FILTER_LABELS } from './board-labels.ts';

export function PostFilters(): ReactElement {
  const { open } = useVillage();
  const place = useVillageState((state) => state.place);
  const mayModerate = roleMay(useRole(), 'board:moderate');
  const narrowed =
    place.posts !== 'open' ||
    place.tag !== null ||
    place.who !== null ||
    place.find !== null ||
    place.audience !== null;
  return (
    <div className="board-filters" role="search" aria-label="Narrow the board">
      <SearchField label="Search posts and replies" />
      <Choices
        label="Status"
        keys={POST_FILTERS.filter((filter) => filter !== 'moderated' || mayModerate)}
        value={place.posts}
        wordOf={(filter) => FILTER_LABELS[filter]}
        onChange={(posts) => open({ posts })}
        small
      />
      <div className="board-picks">
        <TagPick tag={place.tag} onTag={(tag) => open({ tag })} />
        <AudiencePick audience={place.audience} onAudience={(audience) => open({ audience })} />
        {place.who !== null && <AuthorChip author={place.who} />}
        {narrowed && (
          <LinkButton
            word="Clear"
            onClick={() => open({ posts: 'open', tag: null, who: null, find: null, audience: null })}
          />
        )}
      </div>
    </div>
  );
}

function TagPick({ tag, onTag }: Readonly<{ tag: string | null; onTag: (tag: string | null) => void }>): ReactElement {
  const tags: readonly string[] =
    tag === null || (VILLAGE_TAGS as readonly string[]).includes(tag) ? VILLAGE_TAGS : [tag, ...VILLAGE_TAGS];
  return (
    <select
      className="pick-small"
      aria-label="Tag"
      value={tag ?? ''}
      onChange={(event) => onTag(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">Any tag</option>
      {tags.map((word) => (
        <option key={word} value={word}>
          #{word}
        </option>
      ))}
    </select>
  );
}

interface AudiencePickProps {
  readonly audience: PostAudience | null;
  readonly onAudience: (audience: PostAudience | null) => void;
}

function AudiencePick({ audience, onAudience }: AudiencePickProps): ReactElement {
  const agents = useAgentNames();
  return (
    <select
      className="pick-small"
      aria-label="Audience"
      value={audience ?? ''}
      onChange={(event) => onAudience(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">Any audience</option>
      <option value="public">Public</option>
      <option value="agents">For agents</option>
      <option value="humans">For people</option>
      {agents.map(({ id, name }) => (
        <option key={id} value={`agent:${id}`}>
          For {name}
        </option>
      ))}
    </select>
  );
}

function AuthorChip({ author }: { readonly author: string }): ReactElement {
  const { open, board } = useVillage();
  const known = [...board.state.get().posts.values()].find((post) => post?.author_id === author)?.author_name;
  return (
    <FilterChip word="By" value={known ?? author} label="Posts of all authors" onEnd={() => open({ who: null })} />
  );
}
