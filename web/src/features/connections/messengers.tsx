import {
  type ChannelBot,
  type ChannelLink,
  createChannelCode,
  listMyChannels,
  unlinkMyChannel,
} from '@hamlet/contract';
import { useState } from 'react';
import { type Live, useIntent, useLive } from '../../client/query/use-live.ts';
import { Button, Notice, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { timeAgo, timeAhead } from '../../ui/time-labels.ts';
import { MESSENGER_NAMES } from './messenger-names.ts';

const REFRESH_MS = 15_000;
/** While the page shows a code, a link appears soon after the person sends it. */
const REFRESH_SOON_MS = 2_000;

type Code = Readonly<{ code: string; expires_at: string; before: ReadonlySet<string> }>;

/** Changes when the person links the same messenger again. */
const linkKey = ({ identity_id: id, linked_at: at }: ChannelLink): string => `${id} ${at}`;

/** The messengers that act as the viewer, and the code that links another one. */
export function Messengers() {
  const [made, setMade] = useState<Code | null>(null);
  const live = useLive(listMyChannels, {}, made === null ? REFRESH_MS : REFRESH_SOON_MS);
  return (
    <section className="card messengers" aria-label="Messengers">
      <h2>Messengers</h2>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data !== null && <Linking {...live.data} made={made} onMade={setMade} onUnlinked={live.again} />}
    </section>
  );
}

interface LinkingProps extends LinksProps {
  readonly agents: readonly ChannelBot[];
  readonly made: Code | null;
  readonly onMade: (code: Code) => void;
}

function Linking({ links, agents, made, onMade, onUnlinked }: LinkingProps) {
  // A code works once: a link after it has used it.
  const code = made !== null && links.every((link) => made.before.has(linkKey(link))) ? made : null;
  const keep: NewCodeProps['onMade'] = (fresh) => onMade({ ...fresh, before: new Set(links.map(linkKey)) });
  const hasNone = links.length === 0;
  return (
    <>
      {agents.length > 0 && <NewCode word={code === null ? 'Link a messenger' : 'New code'} onMade={keep} />}
      {code !== null && <CodeNotice code={code} agents={agents} />}
      {hasNone && code === null && <Advice withBots={agents.length > 0} />}
      {!hasNone && <Links links={links} onUnlinked={onUnlinked} />}
    </>
  );
}

interface NewCodeProps {
  readonly word: string;
  readonly onMade: (code: Omit<Code, 'before'>) => void;
}

function NewCode({ word, onMade }: NewCodeProps) {
  const sending = useIntent();
  const create = async (): Promise<void> => {
    const data = await sending.call(createChannelCode, {});
    if (data !== null) onMade(data);
  };
  return (
    <>
      <Button
        icon="plus"
        word={word}
        aria-disabled={sending.busy}
        onClick={() => void create()}
        data-action="new-code"
      />
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
    </>
  );
}

interface LinksProps {
  readonly links: readonly ChannelLink[];
  readonly onUnlinked: Live<unknown>['again'];
}

function Links({ links, onUnlinked }: LinksProps) {
  return (
    <ul aria-label="Linked messengers">
      {links.map((link) => (
        <LinkRow key={link.identity_id} link={link} onUnlinked={onUnlinked} />
      ))}
    </ul>
  );
}

function Advice({ withBots }: { readonly withBots: boolean }) {
  return (
    <p className="hint">
      {withBots
        ? 'Talk with agents from your phone: link a messenger, then write to the bot of an agent.'
        : 'No agent has a bot yet. An admin connects one with spec.channels of its Agent.'}
    </p>
  );
}

const botName = ({ agent_id: id, channel }: ChannelBot): string => `${id} at ${MESSENGER_NAMES[channel]}`;

interface CodeNoticeProps {
  readonly code: Code;
  readonly agents: readonly ChannelBot[];
}

function CodeNotice({ code: { code, expires_at: expires }, agents }: CodeNoticeProps) {
  const nowMs = useNow(1_000);
  const endsMs = Date.parse(expires);
  if (endsMs <= nowMs) return <p className="hint">The code has expired: create a new one.</p>;
  return (
    <Notice tone="info" icon={null}>
      <b>Send this code to the bot of one agent</b> ({agents.map(botName).join(', ')}) as a message. It works once and
      expires {timeAhead(endsMs, nowMs)}. The link holds for the bots of all agents.
      <OpenBots code={code} agents={agents} />
      <span className="key-line">
        <code data-code>{code}</code>
        <CopyButton text={code} word="Copy the code" />
      </span>
    </Notice>
  );
}

/** One tap opens a bot with the code, where the messenger can do that. */
function OpenBots({ code, agents }: { readonly code: string; readonly agents: readonly ChannelBot[] }) {
  const links = agents.flatMap((bot) =>
    bot.bot_page === null ? [] : [{ bot, href: `${bot.bot_page}?start=${code}` }],
  );
  if (links.length === 0) return null;
  return (
    <span className="key-line">
      {links.map(({ bot, href }) => (
        <a
          key={href}
          className="button button-plain"
          href={href}
          target="_blank"
          rel="noopener noreferrer"
          data-bot={bot.agent_id}
        >
          Open {botName(bot)}
        </a>
      ))}
    </span>
  );
}

function LinkRow({ link, onUnlinked }: { readonly link: ChannelLink; readonly onUnlinked: Live<unknown>['again'] }) {
  const nowMs = useNow(15_000);
  const sending = useIntent();
  const [asks, setAsks] = useState(false);
  const unlink = async (): Promise<void> => {
    const data = await sending.call(unlinkMyChannel, { params: { identity_id: link.identity_id } });
    if (data !== null) onUnlinked();
  };
  return (
    <li className="key-row" data-link={link.name}>
      <span className="key-words">
        <b>{link.name}</b>
        <small>
          {MESSENGER_NAMES[link.channel]} · linked {timeAgo(link.linked_at, nowMs)}
        </small>
      </span>
      {asks ? (
        <span className="button-row">
          <Button
            look="danger"
            word={`Unlink ${link.name}`}
            aria-disabled={sending.busy}
            onClick={() => void unlink()}
          />
          <Button look="plain" word="Keep it" onClick={() => setAsks(false)} />
        </span>
      ) : (
        <Button word="Unlink…" aria-label={`Unlink ${link.name}…`} onClick={() => setAsks(true)} />
      )}
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
    </li>
  );
}
