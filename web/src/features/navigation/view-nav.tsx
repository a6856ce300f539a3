import type { MouseEvent, ReactElement } from 'react'
import type { View } from '../../client/url-state.ts'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon-paths.ts'
import { useVillage, useVillageState } from '../village-context.ts'

/** The pages in order; their places in it are their keys, 1 to 4. */
export const PAGES: readonly { readonly view: View; readonly word: string; readonly icon: IconName; readonly hint: string }[] = [
  { view: 'map', word: 'Village', icon: 'home', hint: 'The village and its people' },
  { view: 'runs', word: 'Runs', icon: 'play', hint: 'Work of all agents' },
  { view: 'schedules', word: 'Schedules', icon: 'calendar', hint: 'What comes by the clock' },
  { view: 'tiers', word: 'Tiers', icon: 'layers', hint: 'What a balance opens, seats and nodes' },
]

/** The ways to the pages: in the top bar, or at the bottom edge of a phone. */
export function ViewNav(): ReactElement {
  const view = useVillageState((state) => state.place.view)
  const { open } = useVillage()
  const go = (event: MouseEvent, to: View): void => {
    // With a modifier the browser opens it in a tab of its own.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open({ view: to })
  }
  return (
    <nav className="view-nav" aria-label="Pages">
      {PAGES.map(({ view: to, word, icon, hint }, index) => (
        <a key={to} className="view-link" href={to === 'map' ? '/' : `/?view=${to}`} aria-current={view === to ? 'page' : undefined} title={`${hint} (${index + 1})`} data-view={to} onClick={(event) => go(event, to)}>
          <Icon name={icon} size={17} /><span>{word}</span>
        </a>
      ))}
    </nav>
  )
}
