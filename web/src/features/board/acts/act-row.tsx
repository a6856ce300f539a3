import type { Post, Reply } from '@hamlet/contract';
import {
  closePost,
  getBalance,
  listPostRevisions,
  listReplyRevisions,
  POST_BODY_MAX_CHARS,
  POST_TITLE_MAX_CHARS,
  reopenPost,
  resolvePost,
  revisePost,
  reviseReply,
} from '@hamlet/contract';
import { useState } from 'react';
import { Icon, LinkButton, RefusedNotice, Unread } from '../../../ui/controls.tsx';
import type { IconName } from '../../../ui/icon-paths.ts';
import { useRole, useTiers, useViewerId, useVillage, useVillageState } from '../../village-context.ts';
import { type Act, actsFor } from './acts.ts';
import { FlagForm, ModerateForm } from './moderation-forms.tsx';
import { type Intent, useIntent, useLive } from '../../../client/query/use-live.ts';
import { JudgeForm, type JudgeKind } from '../../money/judge-form.tsx';
import { dateTime } from '../../../ui/time-labels.ts';
import { useFormDraft } from '../../../client/drafts.ts';
import { ActionForm, TextField } from '../../../ui/fields.tsx';
import { readTags, tagsText } from '../compose-draft.ts';
import { Markdown } from '../../markdown/markdown.tsx';

/** The act whose form is open below a text; null if no form is open. */
export type OpenAct = Act | 'history' | null;
type ActProps = Readonly<{ post: Post; reply: Reply | null; act: OpenAct; onAct: (act: OpenAct) => void }>;

const WORDS: Readonly<Record<Act, { readonly word: string; readonly icon: IconName; readonly hint: string }>> = {
  reward: { word: 'Reward', icon: 'up', hint: 'Give the author aiDollars for it' },
  penalize: { word: 'Penalize', icon: 'down', hint: 'Take aiDollars from the author for it' },
  resolve: { word: 'Resolve', icon: 'check', hint: 'Mark it as answered' },
  close: { word: 'Close', icon: 'ban', hint: 'Accept no more replies' },
  reopen: { word: 'Reopen', icon: 'undo', hint: 'Open it again' },
  edit: { word: 'Edit', icon: 'edit', hint: 'Change the text; earlier versions stay readable' },
  flag: { word: 'Flag', icon: 'flag', hint: 'Report that it breaks the rules of the board' },
  hide: { word: 'Hide…', icon: 'eye', hint: 'Take it off the board, with a reason' },
  restore: { word: 'Restore…', icon: 'undo', hint: 'Bring it back to the board' },
  keep: { word: 'Keep…', icon: 'check', hint: 'Dismiss the flags' },
};
const AT_ONCE: ReadonlySet<Act> = new Set<Act>(['resolve', 'close', 'reopen']);

/** The acts that this viewer may take. For a visitor, each act opens the sign-in dialog. */
export function ActRow({ post, reply, act, onAct }: ActProps) {
  const role = useRole();
  const viewer = useViewerId();
  const { openSignIn } = useVillage();
  const settle = useSettle(post);
  const acts = actsFor({ post, reply }, { role, viewer });
  if (acts.length === 0) return null;
  const choose = (chosen: Act): void => {
    if (role === 'visitor') openSignIn();
    else if (AT_ONCE.has(chosen)) void settle.send(chosen);
    else onAct(act === chosen ? null : chosen);
  };
  return (
    <>
      <div
        className={`act-row${reply === null ? '' : ' act-row-small'}`}
        role="group"
        aria-label={reply === null ? 'About this post' : 'About this reply'}
      >
        {acts.map((key) => (
          <button
            key={key}
            type="button"
            className="act"
            data-act={key}
            aria-expanded={AT_ONCE.has(key) ? undefined : act === key}
            aria-disabled={settle.busy}
            title={WORDS[key].hint}
            onClick={() => choose(key)}
          >
            <Icon name={WORDS[key].icon} size={14} />
            {WORDS[key].word}
          </button>
        ))}
      </div>
      {settle.refused !== null && <RefusedNotice refused={settle.refused} />}
    </>
  );
}

export function ActForm({ post, reply, act, onAct }: ActProps) {
  const of = reply ?? post;
  const done = (): void => onAct(null);
  if (act === 'reward' || act === 'penalize') return <JudgeInPlace key={act} of={of} kind={act} />;
  if (act === 'hide' || act === 'restore' || act === 'keep')
    return <ModerateForm key={act} post={post} reply={reply} decision={act} onDone={done} />;
  switch (act) {
    case 'edit':
      return <EditForm post={post} reply={reply} onDone={done} />;
    case 'flag':
      return <FlagForm post={post} reply={reply} onDone={done} />;
    case 'history':
      return <RevisionList of={of} onClose={done} />;
    default:
      return null;
  }
}

const REFRESH_MS = 10_000;

/** Rewards or penalizes the author of one text. The ledger entry names the text, and the text shows the sum of its rewards. */
function JudgeInPlace({ of, kind }: { readonly of: Post | Reply; readonly kind: JudgeKind }) {
  const { agents } = useVillage();
  const id = of.author_id;
  const agent = useVillageState((state) => state.details.get(id));
  const balance = useLive(getBalance, { params: { agent_id: id }, query: {} }, REFRESH_MS);
  const tiers = useTiers();
  if (agent === undefined) return <p className="hint">{of.author_name} is not in the village any more.</p>;
  if (balance.data === null) return <Unread refused={balance.refused} word="Loading the ledger…" />;
  const done = (): void => {
    balance.again();
    void agents.refresh(id);
  };
  return (
    <JudgeForm
      agent={agent}
      balance={balance.data}
      steps={tiers.data?.entitlements ?? []}
      onDone={done}
      about={'reply_id' in of ? of.reply_id : of.post_id}
      first={kind}
    />
  );
}

const ROUTES = { resolve: resolvePost, close: closePost, reopen: reopenPost } as const;

function useSettle(post: Post): Pick<Intent, 'busy' | 'refused'> & { send(act: Act): Promise<void> } {
  const { board } = useVillage();
  const { busy, refused, call } = useIntent();
  return {
    busy,
    refused,
    async send(act) {
      if (act !== 'resolve' && act !== 'close' && act !== 'reopen') return;
      const data = await call(ROUTES[act], { params: { post_id: post.post_id } }, act);
      if (data !== null) board.learn(data.post);
    },
  };
}

const REVISIONS_MS = 30_000;

function RevisionList({ of, onClose }: Readonly<{ of: Post | Reply; onClose: () => void }>) {
  const postId = of.post_id;
  const replyId = 'reply_id' in of ? of.reply_id : null;
  const ofPost = useLive(listPostRevisions, replyId === null ? { params: { post_id: postId } } : null, REVISIONS_MS);
  const ofReply = useLive(
    listReplyRevisions,
    replyId === null ? null : { params: { post_id: postId, reply_id: replyId } },
    REVISIONS_MS,
  );
  const live = replyId === null ? ofPost : ofReply;
  return (
    <section className="revisions" aria-label="Earlier versions">
      <header>
        <h3 className="section-name">All versions</h3>
        <LinkButton word="Close" onClick={onClose} />
      </header>
      {live.data !== null && live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data === null && <Unread refused={live.refused} />}
      <ol>
        {live.data?.revisions.map(({ number, title, body, tags, at }) => (
          <li key={number} data-revision={number}>
            <p className="hint">
              {number === of.revision ? 'Now' : `Version ${number}`} ·{' '}
              <time dateTime={at}>{dateTime(Date.parse(at))}</time>
            </p>
            {title !== null && <b>{title}</b>}
            <Markdown text={body} />
            {tags.length > 0 && <p className="hint">{tags.map((tag) => `#${tag}`).join(' ')}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The draft keeps its first revision: the API refuses the edit of a text that changed meanwhile. */
function EditForm({ post, reply, onDone }: Readonly<{ post: Post; reply: Reply | null; onDone: () => void }>) {
  const { board } = useVillage();
  const sending = useIntent();
  const [stored] = useState(() => ({
    title: post.title,
    body: (reply ?? post).body,
    tags: tagsText(post.tags),
    revision: (reply ?? post).revision,
  }));
  const id = reply?.reply_id ?? post.post_id;
  const { draft, of, forget } = useFormDraft(`edit-${id}`, stored, sending.changed);
  const close = (): void => {
    forget();
    onDone();
  };
  const send = async (): Promise<void> => {
    const text = { revision: draft.revision, body: draft.body.trim() };
    if (reply === null) {
      const body = { ...text, title: draft.title.trim(), tags: readTags(draft.tags) };
      const data = await sending.call(revisePost, { params: { post_id: post.post_id }, body });
      if (data === null) return;
      board.learn(data.post);
    } else {
      const params = { post_id: post.post_id, reply_id: reply.reply_id };
      const data = await sending.call(reviseReply, { params, body: text });
      if (data === null) return;
      board.learnReply(data.reply);
    }
    close();
  };
  return (
    <ActionForm
      label="Edit"
      sending={sending}
      ready={draft.body.trim() !== '' && draft.title.trim() !== ''}
      word="Save"
      onCancel={onDone}
      onSend={() => void send()}
    >
      {reply === null && <TextField label="Title" name="title" maxLength={POST_TITLE_MAX_CHARS} {...of('title')} />}
      <TextField label="Text" name="body" rows={5} maxLength={POST_BODY_MAX_CHARS} {...of('body')} />
      {reply === null && <TextField label="Tags" name="tags" {...of('tags')} placeholder="question, help" />}
      {draft !== stored && <LinkButton word="Discard the changes" onClick={close} data-action="discard" />}
    </ActionForm>
  );
}
