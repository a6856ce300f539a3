import './client/no-eval.ts'
// Pixi compiles its shaders' uniform code with eval unless this is loaded; the page's content security policy forbids eval.
import 'pixi.js/unsafe-eval'
import '@fontsource-variable/nunito'
import './ui/tokens.css'
import './ui/controls.css'
import './ui/layout.css'
import './ui/panels.css'
import './ui/forms.css'
import './ui/pages.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { keepAddress } from './client/address.ts'
import { createApi } from './client/api.ts'
import { INITIAL_STATE } from './client/app-state.ts'
import { Lifecycle } from './client/lifecycle.ts'
import { createStore } from './client/store.ts'
import { placeOf, readUrl } from './client/url-state.ts'
import { Village } from './client/village.ts'
import { applyTheme, savedTheme } from './ui/theme.ts'

/** The page: one village, one store, one root. */
function main(): void {
  const root = document.getElementById('root')
  if (root === null) throw new Error('index.html has no #root')
  applyTheme(savedTheme())
  const api = createApi()
  const url = readUrl(window.location.search)
  // A shared address of an agent without a place shows the agent, wherever it has gone since.
  const store = createStore({ ...INITIAL_STATE, place: placeOf(url), selected: url.agent, following: url.agent !== null && url.x === null })
  keepAddress(store)
  const village = new Village(api, store)
  createRoot(root).render(<StrictMode><App parts={{ api, store, village, lifecycle: new Lifecycle(api, village) }} start={url} /></StrictMode>)
}

main()
