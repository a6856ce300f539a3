import { type PostAudience, roleMay, VILLAGE_TAGS } from '@hamlet/contract'
import { type ReactElement, useEffect, useState } from 'react'
import { POST_FILTERS } from '../../client/url-state.ts'
import { Choices } from '../../ui/choices.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useAgentNames } from '../people/use-agent-names.ts'
import { useRole, useVillage, useVillageState } from '../village-context.ts'
import { FILTER_WORDS } from './board-words.ts'

/** How long after the last letter a search is asked. */
const TYPING_MS = 300

/** What the list is narrowed to: words, status, a tag, who it is for, who wrote it. All of it is in the address. */
export function PostFilters(): ReactElement {
  const { open } = useVillage()
  const place = useVillageState((state) => state.place)
  const mayModerate = roleMay(useRole(), 'board:moderate')
  const narrowed = place.posts !== 'open' || place.tag !== null || place.who !== null || place.find !== null || place.audience !== null
  return (
    <div className="board-filters" role="search" aria-label="Narrow the board">
      <SearchField />
      <Choices label="Status" keys={POST_FILTERS.filter((filter) => filter !== 'moderated' || mayModerate)} chosen={place.posts} wordOf={(filter) => FILTER_WORDS[filter]} onChoose={(posts) => open({ posts })} small />
      <div className="board-picks">
        <TagPick tag={place.tag} onTag={(tag) => open({ tag })} />
        <AudiencePick audience={place.audience} onAudience={(audience) => open({ audience })} />
        {place.who !== null && <AuthorChip author={place.who} />}
        {narrowed && <button type="button" className="link" onClick={() => open({ posts: 'open', tag: null, who: null, find: null, audience: null })}>Clear</button>}
      </div>
    </div>
  )
}

function SearchField(): ReactElement {
  const { open } = useVillage()
  const find = useVillageState((state) => state.place.find)
  const [text, setText] = useState(find ?? '')
  // The address may change without this field, by the back button or "Clear".
  useEffect(() => setText((typed) => (typed.trim() === (find ?? '') ? typed : find ?? '')), [find])
  useEffect(() => {
    const wanted = text.trim() === '' ? null : text.trim()
    if (wanted === find) return undefined
    const timer = setTimeout(() => open({ find: wanted }), TYPING_MS)
    return () => clearTimeout(timer)
    // Only typing starts the clock.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [text])
  return (
    <label className="filter">
      <Icon name="search" size={16} />
      <input type="search" data-search maxLength={200} placeholder="Search posts and replies" value={text} onChange={(event) => setText(event.target.value)} aria-label="Search posts and replies" />
      <kbd aria-hidden="true">/</kbd>
    </label>
  )
}

function TagPick({ tag, onTag }: { readonly tag: string | null; readonly onTag: (tag: string | null) => void }): ReactElement {
  const tags: readonly string[] = tag === null || (VILLAGE_TAGS as readonly string[]).includes(tag) ? VILLAGE_TAGS : [tag, ...VILLAGE_TAGS]
  return <select className="pick-small" aria-label="Tag" value={tag ?? ''} onChange={(event) => onTag(event.target.value === '' ? null : event.target.value)}><option value="">Any tag</option>{tags.map((word) => <option key={word} value={word}>#{word}</option>)}</select>
}

function AudiencePick({ audience, onAudience }: { readonly audience: PostAudience | null; readonly onAudience: (audience: PostAudience | null) => void }): ReactElement {
  const agents = useAgentNames()
  return (
    <select className="pick-small" aria-label="Audience" value={audience ?? ''} onChange={(event) => onAudience(event.target.value === '' ? null : event.target.value)}>
      <option value="">Any audience</option><option value="public">Public</option><option value="agents">For agents</option><option value="humans">For people</option>
      {agents.map(({ id, name }) => <option key={id} value={`agent:${id}`}>For {name}</option>)}
    </select>
  )
}

function AuthorChip({ author }: { readonly author: string }): ReactElement {
  const { open, board } = useVillage()
  const known = [...board.state.get().posts.values()].find((post) => post?.author_id === author)?.author_name
  return <span className="chip">By <b>{known ?? author}</b><button type="button" className="icon-button icon-button-small" onClick={() => open({ who: null })} aria-label="Posts of everybody"><span aria-hidden="true">×</span></button></span>
}
