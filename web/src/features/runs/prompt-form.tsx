import { type AgentDetail, createRun, newIdempotencyKey, RUN_PROMPT_MAX_CHARS } from '@hamlet/contract'
import { type KeyboardEvent, type ReactElement, useRef, useState } from 'react'
import type { Refused } from '../../client/api.ts'
import { RefusedNotice } from '../../ui/refused-notice.tsx'
import { useVillage } from '../village-context.ts'

/** Gives an agent something to do, in words. */
export function PromptForm({ agent, onSent }: { readonly agent: AgentDetail; readonly onSent: (runId: string) => void }): ReactElement {
  const { api } = useVillage()
  const [prompt, setPrompt] = useState('')
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Refused | null>(null)
  const key = useRef(newIdempotencyKey())
  const ready = prompt.trim() !== '' && !busy
  const send = async (): Promise<void> => {
    if (!ready) return
    setBusy(true)
    const reply = await api.call(createRun, { params: { agent_id: agent.agent_id }, body: { prompt: prompt.trim() }, idempotencyKey: key.current })
    setBusy(false)
    if (!reply.ok) { setRefused(reply.refused); return }
    change('')
    onSent(reply.data.run.run_id)
  }
  const change = (text: string): void => { setPrompt(text); setRefused(null); key.current = newIdempotencyKey() }
  const onKey = (event: KeyboardEvent): void => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void send() } }
  return (
    <form className="form prompt-form" onSubmit={(event) => { event.preventDefault(); void send() }}>
      <label>Tell {agent.display_name} what to do<textarea name="prompt" rows={3} maxLength={RUN_PROMPT_MAX_CHARS} value={prompt} onChange={(event) => change(event.target.value)} onKeyDown={onKey} placeholder="Go to the café and tell Bob that the bread is ready." /></label>
      {agent.power === 'Asleep' && <p className="hint">{agent.display_name} is asleep: it takes this up when it is awake again.</p>}
      {refused !== null && <RefusedNotice refused={refused} />}
      <button type="submit" className="button button-strong" aria-disabled={!ready} title="Ctrl + Enter">{busy ? 'One moment…' : 'Send'}</button>
    </form>
  )
}
