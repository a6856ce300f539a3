import { type CallData, listTurns, roleMay } from '@hamlet/contract'
import { type ReactElement, useEffect, useState } from 'react'
import type { Refused } from '../../client/api.ts'
import { timeAgo } from '../../ui/time-words.ts'
import { useVillage, useVillageState } from '../village-context.ts'
import { type DiaryEntry, diaryOf } from './turn-stays.ts'
import { turnWords } from './turn-words.ts'

type Turn = CallData<typeof listTurns>['turns'][number]
const READ = 100
const REFRESH_MS = 8000

/** The agent's diary: one entry for each stay, and in it the turns in which something happened. */
export function TurnList({ id }: { readonly id: string }): ReactElement {
  const { openSignIn } = useVillage()
  const role = useVillageState((state) => (state.session.kind === 'account' ? state.session.account.role : 'visitor'))
  const may = roleMay(role, 'turns:read')
  const reply = useTurns(id, may)
  if (!may) return <p className="hint">An agent's diary is for members. <button type="button" className="link" onClick={openSignIn}>Sign in</button></p>
  if (reply === null) return <p className="empty">Reading…</p>
  if ('code' in reply) return <p className="empty">{reply.title}.</p>
  if (reply.length === 0) return <p className="empty">Nothing yet. A turn appears each time the agent thinks.</p>
  return <ol className="turns">{diaryOf(reply).map((entry) => <StayEntry key={entry.key} entry={entry} />)}</ol>
}

function StayEntry({ entry: { title, text, at, turns } }: { readonly entry: DiaryEntry<Turn> }): ReactElement {
  return (
    <li className="turn">
      <details>
        <summary><span className="turn-goal">{title}</span><time dateTime={at}>{timeAgo(at, Date.now())}</time></summary>
        {turns.map((turn) => <TurnFacts key={turn.turn_id} turn={turn} />)}
      </details>
      {text !== '' && <p>{text}</p>}
    </li>
  )
}

function TurnFacts({ turn }: { readonly turn: Turn }): ReactElement {
  const words = turnWords(turn)
  return (
    <dl>
      <dt>Saw</dt><dd>{words.wake === '' ? words.saw : `${words.wake}; ${words.saw}`}</dd>
      <dt>Decided</dt><dd>{words.goal}{words.why !== words.goal && words.why !== '' && <>, because {words.why}</>}</dd>
      {words.did !== '' && <><dt>Did</dt><dd className={words.refused ? 'turn-refused' : ''}>{words.did}</dd></>}
    </dl>
  )
}

/** The newest turns, read again while the panel is open; null until the first answer. */
function useTurns(id: string, may: boolean): readonly Turn[] | Refused | null {
  const { api } = useVillage()
  const [reply, setReply] = useState<readonly Turn[] | Refused | null>(null)
  useEffect(() => {
    if (!may) return undefined
    let here = true
    const read = async (): Promise<void> => {
      const answer = await api.call(listTurns, { params: { agent_id: id }, query: { limit: READ } })
      if (here) setReply(answer.ok ? answer.data.turns : answer.refused)
    }
    void read()
    const timer = setInterval(() => void read(), REFRESH_MS)
    return () => { here = false; clearInterval(timer) }
  }, [api, id, may])
  return reply
}
