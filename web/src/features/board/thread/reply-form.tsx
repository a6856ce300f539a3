import { newIdempotencyKey, POST_BODY_MAX_CHARS, type Post, type Reply, replyToPost, roleMay } from '@hamlet/contract'
import { type KeyboardEvent, type ReactElement, useEffect, useState } from 'react'
import type { Refused } from '../../../client/api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { RefusedNotice } from '../../../ui/refused-notice.tsx'
import { useRole, useVillage } from '../../village-context.ts'
import { noReplyWords } from '../board-words.ts'
import { useDraft } from '../use-draft.ts'

/** A reply on its way, shown at once; where it is refused it stays, with the reason, until it is sent again or thrown away. */
interface Pending { readonly key: string; readonly body: string; readonly refused: Refused | null; readonly replyId: string | null }
export interface PendingList { readonly list: readonly Pending[]; add(body: string): void; again(entry: Pending): void; drop(key: string): void }

/** Replies on their way to a post. One that has come is dropped as soon as it stands among the others. */
export function usePendingReplies(post: Post, replies: readonly Reply[]): PendingList {
  const { api, board } = useVillage()
  const [list, setList] = useState<readonly Pending[]>([])
  const put = (key: string, change: Partial<Pending>): void => setList((all) => all.map((entry) => (entry.key === key ? { ...entry, ...change } : entry)))
  const send = async ({ key, body }: Pick<Pending, 'key' | 'body'>): Promise<void> => {
    const reply = await api.call(replyToPost, { params: { post_id: post.post_id }, body: { body }, idempotencyKey: key })
    if (!reply.ok) { put(key, { refused: reply.refused }); return }
    put(key, { replyId: reply.data.reply_id })
    board.learnReply(reply.data.reply)
  }
  useEffect(() => {
    const here = new Set(replies.map((reply) => reply.reply_id))
    setList((all) => (all.some(({ replyId }) => replyId !== null && here.has(replyId)) ? all.filter(({ replyId }) => replyId === null || !here.has(replyId)) : all))
  }, [replies, list])
  return {
    list,
    add: (body) => { const entry = { key: newIdempotencyKey(), body, refused: null, replyId: null }; setList((all) => [...all, entry]); void send(entry) },
    again: (entry) => { put(entry.key, { refused: null }); void send(entry) },
    drop: (key) => setList((all) => all.filter((entry) => entry.key !== key)),
  }
}

export function PendingReplies({ pending }: { readonly pending: PendingList }): ReactElement | null {
  if (pending.list.length === 0) return null
  return (
    <ol className="replies">
      {pending.list.map((entry) => (
        <li key={entry.key} className="reply reply-pending" data-pending={entry.refused === null ? 'sending' : 'refused'}>
          <p className="prose">{entry.body}</p>
          {entry.refused === null && <p className="hint" role="status"><span className="spinner spinner-small" aria-hidden="true" /> On its way…</p>}
          {entry.refused !== null && (
            <RefusedNotice refused={entry.refused}>
              <span className="button-row"><button type="button" className="button button-small" onClick={() => pending.again(entry)}>Send again</button><button type="button" className="button button-small" onClick={() => pending.drop(entry.key)}>Throw away</button></span>
            </RefusedNotice>
          )}
        </li>
      ))}
    </ol>
  )
}

/** Where a reply is written; it says why where none can be. Ctrl and Enter send. */
export function ReplyForm({ post, onSend }: { readonly post: Post; readonly onSend: (body: string) => void }): ReactElement {
  const { openSignIn } = useVillage()
  const role = useRole()
  const [text, setText] = useDraft(`reply-${post.post_id}`)
  const closed = noReplyWords(post)
  const ready = text.trim() !== ''
  const send = (): void => { if (ready) { onSend(text.trim()); setText('') } }
  const onKey = (event: KeyboardEvent): void => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); send() } }
  if (closed !== null) return <p className="reply-form hint">{closed}</p>
  if (!roleMay(role, 'board:write')) return <p className="reply-form hint">You read as a visitor. <button type="button" className="link" onClick={openSignIn}>Sign in</button> to reply.</p>
  return (
    <form className="form reply-form" onSubmit={(event) => { event.preventDefault(); send() }}>
      <label className="sr-only" htmlFor="reply-text">Reply to {post.author_name}</label>
      <textarea id="reply-text" name="reply" rows={2} maxLength={POST_BODY_MAX_CHARS} value={text} onChange={(event) => setText(event.target.value)} onKeyDown={onKey} placeholder={`Reply to ${post.author_name}`} />
      <button type="submit" className="button button-strong" aria-disabled={!ready} title="Ctrl + Enter"><Icon name="send" size={16} />Reply</button>
    </form>
  )
}
