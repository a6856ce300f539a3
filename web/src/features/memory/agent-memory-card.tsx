import {
  type AgentMemory,
  type MemoryCertainty,
  correctAgentMemory,
  forgetAgentMemory,
  listAgentMemory,
  MEMORY_WORDS_MAX_CHARS,
  pinAgentMemory,
} from '@hamlet/contract';
import { titleFrom } from '@hamlet/core';
import { type ReactNode, useRef, useState } from 'react';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { Badge, Button, LinkButton, RefusedNotice, Time, type Tone, Unread } from '../../ui/controls.tsx';
import { TextField } from '../../ui/fields.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { useViewerId, useVillage } from '../village-context.ts';
import { audienceLabel, CERTAINTY } from './memory-labels.ts';
import { MemoryText } from './memory-text.tsx';

type CardProps = Readonly<{
  agentId: string;
  whose: 'mine' | 'all';
  memory: AgentMemory;
  nowMs: number;
  onChanged: () => void;
  /** Why a search found it. */
  children?: ReactNode;
}>;

type Opened = 'words' | 'history' | 'correct' | 'forget' | null;

/** One memory: its words, from where, how sure and since when, and what a person may do with it. */
export function AgentMemoryCard({ agentId, whose, memory, nowMs, onChanged, children }: CardProps) {
  const [opened, setOpened] = useState<Opened>(null);
  const card = useRef<HTMLLIElement>(null);
  const intent = useIntent();
  const { memory_id, text, about, until } = memory;
  const params = { agent_id: agentId, memory_id };
  const act = async (change: Promise<unknown>, next: 'stays' | 'goes' = 'stays'): Promise<void> => {
    if ((await change) === null) return;
    setOpened(null);
    if (next === 'goes') focusBeside(card.current);
    onChanged();
  };
  return (
    <li ref={card} tabIndex={-1} className="memory-card" data-memory={memory_id} data-ended={until !== null}>
      {about !== null && <b>{about}</b>}
      <MemoryText text={text} />
      <Origin memory={memory} nowMs={nowMs} />
      {children}
      <Acts
        memory={memory}
        busy={intent.busy}
        opened={opened}
        onOpen={(part) => setOpened(opened === part ? null : part)}
        onPin={(pinned) => void act(intent.call(pinAgentMemory, { params, body: { pinned } }))}
      />
      {opened === 'correct' && (
        <Correction
          start={text}
          busy={intent.busy}
          onSave={(words) => void act(intent.call(correctAgentMemory, { params, body: { text: words } }), 'goes')}
          onBack={() => setOpened(null)}
        />
      )}
      {opened === 'forget' && (
        <p className="memory-ask">
          <span>Forget it? Its words are deleted here at once, and in the agent before it next recalls anything.</span>
          <Button
            word="Forget it"
            look="danger"
            aria-disabled={intent.busy}
            onClick={() => void act(intent.call(forgetAgentMemory, { params }), 'goes')}
            data-action="forget"
          />
          <Button word="Keep it" onClick={() => setOpened(null)} />
        </p>
      )}
      {(opened === 'words' || opened === 'history') && (
        <Behind agentId={agentId} whose={whose} memory={memory} nowMs={nowMs} part={opened} />
      )}
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
    </li>
  );
}

/** Keeps the place of a keyboard in the list when a card leaves it. */
const focusBeside = (card: HTMLLIElement | null): void => {
  const beside = card?.nextElementSibling ?? card?.previousElementSibling ?? null;
  if (beside instanceof HTMLElement) beside.focus();
};

type ActsProps = Readonly<{
  memory: AgentMemory;
  busy: boolean;
  opened: Opened;
  onOpen: (part: Opened) => void;
  onPin: (pinned: boolean) => void;
}>;

function Acts({ memory, busy, opened, onOpen, onPin }: ActsProps) {
  const { text, pinned, until, kind, replaces, may_change: mayChange } = memory;
  const isInForce = mayChange && until === null;
  const part = (name: Opened, word: string) => (
    <Button
      word={word}
      aria-expanded={opened === name}
      onClick={() => onOpen(name)}
      data-action={`open-${name ?? 'none'}`}
    />
  );
  return (
    <p className="memory-acts" role="group" aria-label={`Memory: ${titleFrom(text)}`}>
      {isInForce && (
        <Button word={pinned ? 'Unpin' : 'Pin'} aria-disabled={busy} onClick={() => onPin(!pinned)} data-action="pin" />
      )}
      {isInForce && kind === 'fact' && part('correct', 'Correct…')}
      {mayChange && part('forget', 'Forget…')}
      {isMadeFromWords(memory) && part('words', 'From where')}
      {replaces !== null && part('history', 'History')}
    </p>
  );
}

const isMadeFromWords = ({ kind, run_id: run, session_id: chat }: AgentMemory): boolean =>
  kind === 'fact' && run !== null && chat !== null;

function Origin({ memory, nowMs }: Pick<CardProps, 'memory' | 'nowMs'>) {
  const viewer = useViewerId();
  const { speaker, since, until, audience, repository } = memory;
  return (
    <p className="hint memory-origin">
      <Marks memory={memory} /> {speaker !== null && <>{speaker}, </>}
      {until !== null && 'from '}
      <Time at={since} word={timeAgo(since, nowMs)} />
      {until !== null && (
        <>
          {' until '}
          <Time at={until} word={timeAgo(until, nowMs)} />
        </>
      )}
      {repository !== null && <> · {repository}</>} · {audienceLabel(audience, viewer)}
      <Source memory={memory} />
    </p>
  );
}

const TONES: Readonly<Record<MemoryCertainty, Tone>> = {
  confirmed: 'good',
  said: 'good',
  noted: 'sleep',
  outside: 'waiting',
};

function Marks({ memory: { certainty, pinned, dormant, waiting } }: Pick<CardProps, 'memory'>) {
  const { word, title } = CERTAINTY[certainty];
  return (
    <>
      <Badge tone={TONES[certainty]} title={title} data-certainty={certainty}>
        {word}
      </Badge>{' '}
      {pinned && <Badge tone="good">Pinned</Badge>} {dormant && <Badge tone="sleep">Dormant</Badge>}{' '}
      {waiting && (
        <Badge tone="waiting" title="The agent has not applied the newest change yet.">
          Not applied yet
        </Badge>
      )}
    </>
  );
}

/** The conversation or the run in which a memory arose. */
function Source({ memory: { session_id: chat, run_id: run } }: Pick<CardProps, 'memory'>) {
  const { open } = useVillage();
  if (chat !== null)
    return (
      <>
        {' '}
        · <LinkButton word="Conversation" onClick={() => open({ tab: 'chat', chat })} />
      </>
    );
  if (run === null) return null;
  return (
    <>
      {' '}
      · <LinkButton word="Run" onClick={() => open({ view: 'runs', run })} />
    </>
  );
}

type CorrectionProps = Readonly<{ start: string; busy: boolean; onSave: (text: string) => void; onBack: () => void }>;

function Correction({ start, busy, onSave, onBack }: CorrectionProps) {
  const [text, setText] = useState(start);
  const isReady = text.trim() !== '' && text !== start && !busy;
  return (
    <form
      className="form memory-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSave(text);
      }}
    >
      <TextField
        label="Correction"
        name="text"
        rows={3}
        maxLength={MEMORY_WORDS_MAX_CHARS}
        value={text}
        onChange={setText}
        autoFocus
      />
      <div className="button-row">
        <Button type="submit" word="Save the correction" look="strong" aria-disabled={!isReady} />
        <Button look="plain" word="Back" onClick={onBack} />
      </div>
    </form>
  );
}

const BEHIND = {
  words: {
    label: 'Words that it was made from',
    empty: 'These words were forgotten, or the copy here has no room for them.',
  },
  history: { label: 'Earlier words', empty: 'Its earlier words were forgotten.' },
} as const;

type BehindProps = Pick<CardProps, 'agentId' | 'whose' | 'memory' | 'nowMs'> & Readonly<{ part: keyof typeof BEHIND }>;

/** Memories behind one: the newest message from which a fact was made, with the answer; or its earlier words. */
function Behind({ agentId, whose, memory: { memory_id, run_id }, nowMs, part }: BehindProps) {
  const words = run_id === null ? null : { whose, run_id, kind: 'evidence' as const };
  const query = part === 'words' ? words : { whose, memory_id };
  const input = query === null ? null : { params: { agent_id: agentId }, query };
  const { data, refused } = useLive(listAgentMemory, input, 10_000);
  if (data === null) return <Unread refused={refused} />;
  const rows = data.memories.filter(({ memory_id: id }) => id !== memory_id);
  if (rows.length === 0) return <p className="empty">{BEHIND[part].empty}</p>;
  return (
    <ul className="memory-history" aria-label={BEHIND[part].label}>
      {(part === 'words' ? rows.toReversed() : rows).map(({ memory_id: id, speaker, text, since }) => (
        <li key={id}>
          {speaker !== null && `${speaker}: `}
          {text} · <Time at={since} word={timeAgo(since, nowMs)} />
        </li>
      ))}
    </ul>
  );
}
