import type { AllowScope, Permission, PermissionAnswer, TaintMark } from '@hamlet/contract';
import { answerPermission, getSessionResults, listRunArtifacts, REPLY_MAX_CHARS, roleMay } from '@hamlet/contract';
import { isOfSupply } from '@hamlet/core';
import { useId } from 'react';
import { useDraft } from '../../client/drafts.ts';
import { type Intent, useIntent, useLive } from '../../client/query/use-live.ts';
import { Badge, Button, Icon, RefusedNotice, Time, useNow } from '../../ui/controls.tsx';
import { dateTime, timeAgo } from '../../ui/time-labels.ts';
import { useAgentName, useRole, useViewerId } from '../village-context.ts';
import { CallDetails, CommandDetails } from './argument-list.tsx';
import { gitCommandOf } from './call-labels.ts';
import { type ShownPost, shownPost } from './shown-arguments.ts';
import { TaintList } from './taint-list.tsx';
import {
  alwaysChoices,
  answerChoices,
  expiryLabel,
  outcomeLabel,
  reachLabel,
  reasonLabel,
  requestLabel,
  whoMayLabel,
} from './permission-labels.ts';
import './permissions.css';
import { ArtifactCard } from '../results/artifact-card.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { visibleText } from '@hamlet/core/visible-text';

type CardProps = Readonly<{ permission: Permission; onAnswered: (permission: Permission) => void }>;

export function PermissionCard({ permission, onAnswered }: CardProps) {
  return permission.state === 'pending' ? (
    <PendingCard permission={permission} onAnswered={onAnswered} />
  ) : (
    <AnsweredLine permission={permission} />
  );
}

function PendingCard({ permission, onAnswered }: CardProps) {
  const now = useNow(1000);
  const title = useId();
  const name = useAgentName(permission.agent_id);
  const role = useRole();
  const mayAnswer = roleMay(role, 'permission:answer');
  const whoMay = whoMayLabel(permission, role);
  const reason = reasonLabel(permission);
  return (
    <section className="permission" aria-labelledby={title} data-permission-id={permission.permission_id}>
      <header className="permission-head">
        <Icon name={permission.why === 'question' ? 'speech' : 'shield'} size={17} />
        <b id={title}>{requestLabel(permission, name)}</b>
        <Time
          at={permission.expires_at}
          word={expiryLabel(permission, now)}
          title={`Without an answer it counts as denied on ${dateTime(Date.parse(permission.expires_at))}`}
        />
      </header>
      {permission.question !== null && <Markdown className="permission-question" text={permission.question} />}
      {reason !== '' && <p className="hint">{reason}</p>}
      {permission.taint !== null && (
        <div className="permission-taint">
          <TaintWarning taint={permission.taint} />
          <TaintList agentId={permission.agent_id} taint={permission.taint} />
        </div>
      )}
      {permission.why !== 'question' && <Details permission={permission} />}
      {whoMay !== null && <p className="permission-who">{whoMay}</p>}
      {mayAnswer ? (
        <AnswerForm permission={permission} onAnswered={onAnswered} />
      ) : (
        <p className="hint">Sign in as a member to answer.</p>
      )}
    </section>
  );
}

function TaintWarning({ taint }: { readonly taint: readonly TaintMark[] }) {
  return isOfSupply(taint.map(({ source }) => source)) ? (
    <>
      <b>Text of its repository or a registry has reached this run.</b> An admin chose where it comes from; it may still
      try to direct the agent.
    </>
  ) : (
    <>
      <b>Text from outside has reached this run.</b> It may try to direct the agent: check the call as if a stranger
      asked for it.
    </>
  );
}

function Details({ permission }: { readonly permission: Permission }) {
  const { tool, arguments: argumentsText } = permission;
  const command = gitCommandOf({ tool, argumentsText });
  if (command !== null) return <CommandDetails command={command} argumentsText={argumentsText} />;
  const post = shownPost(permission);
  if (post !== null) return <PostDetails permission={permission} post={post} />;
  return <CallDetails tool={tool} argumentsText={argumentsText} />;
}

function AnswerForm({ permission, onAnswered }: CardProps) {
  const [reply, setReply] = useDraft(`permission-${permission.permission_id}`);
  const intent = useIntent();
  const isQuestion = permission.why === 'question';
  const answer = async (chosen: PermissionAnswer, always?: AllowScope): Promise<void> => {
    const words = reply.trim();
    const data = await intent.call(
      answerPermission,
      {
        params: { permission_id: permission.permission_id },
        body: {
          answer: chosen,
          ...(words === '' ? {} : { reply: words }),
          ...(always === undefined ? {} : { always }),
        },
      },
      `${chosen} ${always ?? ''} ${words}`,
    );
    if (data === null) return;
    setReply('');
    onAnswered(data.permission);
  };
  return (
    <form className="form permission-form" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span className={isQuestion ? undefined : 'sr-only'}>{isQuestion ? 'Your answer' : 'Words to the agent'}</span>
        <textarea
          name="reply"
          rows={isQuestion ? 2 : 1}
          maxLength={REPLY_MAX_CHARS}
          value={reply}
          placeholder={
            isQuestion ? 'The agent reads these words' : 'Words that the agent reads with your answer, if you like'
          }
          onChange={(event) => {
            setReply(event.target.value);
            intent.changed();
          }}
        />
      </label>
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      <Answers permission={permission} intent={intent} reply={reply} onAnswer={(chosen) => void answer(chosen)} />
      <AlwaysAllow permission={permission} busy={intent.busy} onAllow={(always) => void answer('allow', always)} />
    </form>
  );
}

interface AnswersProps {
  readonly permission: Permission;
  readonly intent: Intent;
  readonly reply: string;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

function Answers({ permission, intent, reply, onAnswer }: AnswersProps) {
  const role = useRole();
  return (
    <div className="button-row">
      {answerChoices(permission, role).map(({ answer, word, look, hint }) => {
        const needsWords = permission.why === 'question' && answer === 'allow' && reply.trim() === '';
        const isOff = intent.busy || needsWords;
        return (
          <Button
            key={answer}
            look={look}
            word={word}
            title={needsWords ? 'Write an answer first' : hint}
            aria-disabled={isOff}
            data-answer={answer}
            onClick={() => {
              if (!isOff) onAnswer(answer);
            }}
          />
        );
      })}
    </div>
  );
}

function AnsweredLine({ permission }: { readonly permission: Permission }) {
  const viewer = useViewerId();
  const now = useNow(30_000);
  const { word, tone } = outcomeLabel(permission, viewer);
  return (
    <div className="permission-answered" data-permission-id={permission.permission_id} data-state={permission.state}>
      {permission.question !== null && <Markdown className="permission-question" text={permission.question} />}
      <p>
        <Badge tone={tone}>{word}</Badge>{' '}
        {permission.answered_at !== null && (
          <Time at={permission.answered_at} word={timeAgo(permission.answered_at, now)} />
        )}
      </p>
      {permission.reply !== null && (
        <blockquote>
          <Markdown text={permission.reply} />
        </blockquote>
      )}
    </div>
  );
}

type AlwaysProps = Readonly<{ permission: Permission; busy: boolean; onAllow: (always: AllowScope) => void }>;

function AlwaysAllow({ permission, busy, onAllow }: AlwaysProps) {
  const role = useRole();
  const name = useAgentName(permission.agent_id);
  const choices = alwaysChoices(permission, { role, agentName: name });
  if (choices.length === 0) return null;
  const reach = reachLabel(permission.tool);
  return (
    <details className="always-allow">
      <summary>{reach.word}…</summary>
      <div className="button-row">
        {choices.map(({ scope, word, hint }) => (
          <Button
            key={scope}
            word={word}
            title={hint}
            aria-disabled={busy}
            data-always={scope}
            onClick={() => {
              if (!busy) onAllow(scope);
            }}
          />
        ))}
      </div>
      <p className="hint">{reach.hint} You can remove the rule.</p>
    </details>
  );
}

/** Deliverables do not change; one of a worker may come a moment after the request. */
const EVERY_MS = 15_000;
const PAGE = 100;

type PostProps = Readonly<{ permission: Permission; post: ShownPost }>;

function PostDetails({ permission: { run_id, session_id }, post }: PostProps) {
  const ofRun = useLive(listRunArtifacts, { params: { run_id }, query: { limit: PAGE } }, EVERY_MS).data;
  const session = session_id === null ? null : { params: { session_id } };
  const ofSession = useLive(getSessionResults, session, EVERY_MS).data;
  const known = [...(ofRun?.artifacts ?? []), ...(ofSession?.artifacts ?? [])];
  return (
    <>
      <CallDetails tool="post_to_board" argumentsText={post.argumentsText} />
      <section className="post-publishes" aria-label="Deliverables">
        <b>Publishes with it, for all readers of the post:</b>
        <div className="artifacts">
          {post.deliverables.map((id) => {
            const artifact = known.find(({ artifact_id }) => artifact_id === id);
            return artifact === undefined ? (
              <p key={id} className="hint">
                Deliverable <code>{visibleText(id)}</code>
                {ofRun === null ? '' : ': this conversation has no such deliverable, so the post will fail'}
              </p>
            ) : (
              <ArtifactCard key={id} artifact={artifact} />
            );
          })}
        </div>
      </section>
    </>
  );
}
