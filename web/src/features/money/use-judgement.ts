import { type AgentDetail, formatAiDollars, newIdempotencyKey, penalizeAgent, rewardAgent } from '@hamlet/contract'
import { useRef, useState } from 'react'
import type { Refused } from '../../client/api.ts'
import { useVillage } from '../village-context.ts'
import { moneyWords, readAmount } from './money-words.ts'

export type JudgeKind = 'reward' | 'penalize'
export type JudgeOutcome = { readonly kind: 'done'; readonly text: string } | { readonly kind: 'refused'; readonly refused: Refused }
interface Draft { readonly kind: JudgeKind; readonly amount: string; readonly reason: string }

/** A reward or penalty while it is written: `micro` is its amount (null where none can be read), `outcome` what came of the last one. */
export interface Judgement extends Draft {
  readonly micro: bigint | null; readonly ready: boolean; readonly busy: boolean; readonly outcome: JudgeOutcome | null
  write(change: Partial<Draft>): void
  send(): Promise<void>
}

/** Whom a judgement is about, for which post or reply (null for none), and what is offered first. */
export interface JudgementOf { readonly agent: AgentDetail; readonly about: string | null; readonly first: JudgeKind }

export function useJudgement({ agent, about, first }: JudgementOf, onDone: () => void): Judgement {
  const { api } = useVillage()
  const [draft, setDraft] = useState<Draft>({ kind: first, amount: '', reason: '' })
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<JudgeOutcome | null>(null)
  // One key for one intent: sent again after a lost answer it pays once.
  const key = useRef(newIdempotencyKey())
  const micro = readAmount(draft.amount)
  const ready = micro !== null && micro > 0n && draft.reason.trim() !== ''
  const write = (change: Partial<Draft>): void => {
    setDraft((now) => ({ ...now, ...change }))
    setOutcome(null)
    key.current = newIdempotencyKey()
  }
  const send = async (): Promise<void> => {
    if (!ready || busy) return
    setBusy(true)
    const body = { agent_id: agent.agent_id, amount: formatAiDollars(micro), reason: draft.reason.trim(), ...(about === null ? {} : { related_post_id: about }) }
    const reply = await api.call(draft.kind === 'reward' ? rewardAgent : penalizeAgent, { body, idempotencyKey: key.current })
    setBusy(false)
    if (!reply.ok) { setOutcome({ kind: 'refused', refused: reply.refused }); return }
    write({ amount: '', reason: '' })
    setOutcome({ kind: 'done', text: `${draft.kind === 'reward' ? 'Given' : 'Taken'}. ${agent.display_name} has ${moneyWords(reply.data.balance_after)}.` })
    onDone()
  }
  return { ...draft, micro, ready, busy, outcome, write, send }
}
