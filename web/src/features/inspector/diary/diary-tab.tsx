import { type AgentDetail, type CallData, getAgent, listTurns, roleMay } from '@hamlet/contract';
import { useMemo } from 'react';
import { type Pages, useLive, usePages } from '../../../client/query/use-live.ts';
import { Icon, MoreButton, RefusedNotice, Unread, useNow, Fact } from '../../../ui/controls.tsx';
import { Section } from '../now-tab.tsx';
import { ScriptedMark } from '../../scripted/village-mark.tsx';
import { timeAgo } from '../../../ui/time-labels.ts';
import { SignInHint } from '../../sign-in/sign-in-hint.tsx';
import { useRole } from '../../village-context.ts';
import type { DiaryEntry, Purpose } from './turn-labels.ts';
import { dayPlanOf, diaryOf, purposeOutcome, purposesOf, reasonOf, turnLabel } from './turn-labels.ts';

/** The interval for the persona is long: the persona changes only when a person edits the custom resource. */
const PERSONA_MS = 30_000;

export function DiaryTab({ agent }: { readonly agent: AgentDetail }) {
  return (
    <>
      <Section title="Purposes">
        <PurposeList id={agent.agent_id} />
      </Section>
      <Section title="Diary">
        <TurnList id={agent.agent_id} />
      </Section>
      <Section title="Persona" closed>
        <Persona id={agent.agent_id} />
      </Section>
    </>
  );
}

/** Requests the persona separately, because the list of agents leaves it out. */
function Persona({ id }: { readonly id: string }) {
  const { data, refused } = useLive(getAgent, { params: { agent_id: id } }, PERSONA_MS);
  const persona = data?.persona ?? null;
  if (persona === null) return <Unread refused={refused} />;
  const parts = (
    [
      ['Identity', persona.identity],
      ['Personality', persona.personality],
      ['Instructions', persona.instructions],
    ] as const
  ).filter(([, text]) => text !== '');
  if (parts.length === 0) return <p className="empty">Its custom resource gives it no persona.</p>;
  return (
    <dl className="persona">
      {parts.map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function PurposeList({ id }: { readonly id: string }) {
  const may = roleMay(useRole(), 'turns:read');
  const { rows, refused } = useTurns(id, may);
  const now = useNow(10_000);
  const purposes = useMemo(() => purposesOf(rows ?? []), [rows]);
  const plan = useMemo(() => dayPlanOf(rows ?? []), [rows]);
  if (!may) return <SignInHint text="The reasons of an agent are for members." />;
  if (rows === null) return <Unread refused={refused} />;
  if (purposes.length === 0)
    return <p className="empty">Nothing yet. A purpose appears with the agent's first turn.</p>;
  return (
    <>
      {plan !== null && <p className="hint">Its plan for today: {plan}</p>}
      <ol className="turns purposes">
        {purposes.map((purpose) => (
          <PurposeEntry key={purpose.key} purpose={purpose} now={now} />
        ))}
      </ol>
    </>
  );
}

function PurposeEntry({ purpose, now }: Readonly<{ purpose: Purpose; now: number }>) {
  const { title, at, acts } = purpose;
  return (
    <li className="turn" data-by={purpose.by}>
      <details>
        <summary>
          <Icon name="chevron" size={13} />
          <span className="turn-goal">{title}</span>
          <span className="purpose-outcome">
            {purpose.by === 'model' && <b>its own choice · </b>}
            {purposeOutcome(purpose)}
          </span>
          <time dateTime={at}>{timeAgo(at, now)}</time>
        </summary>
        <p className="hint">
          <ChosenBy purpose={purpose} />
        </p>
        {acts.length > 0 && (
          <ol className="purpose-acts">
            {acts.map(({ key, did, why, at: when, times, refused }) => (
              <li key={key}>
                <span className={refused ? 'turn-refused' : undefined}>
                  {did}
                  {times > 1 && ` (${times} times)`}
                </span>
                <time dateTime={when}>{timeAgo(when, now)}</time>
                {why !== '' && <p>Because: {why}</p>}
              </li>
            ))}
          </ol>
        )}
      </details>
    </li>
  );
}

function ChosenBy({ purpose: { by, model } }: { readonly purpose: Purpose }) {
  if (by === 'model') return <>Chosen by {model === null ? 'a language model' : `the model ${model}`}.</>;
  return <ScriptedMark hint="Rules of the village chose this, not a language model" />;
}

function TurnList({ id }: { readonly id: string }) {
  const may = roleMay(useRole(), 'turns:read');
  const { rows, refused, more } = useTurns(id, may);
  const entries = useMemo(() => diaryOf(rows ?? []), [rows]);
  const reasons = useMemo(
    () => new Map((rows ?? []).map((turn, index, all) => [turn.turn_id, reasonOf(all, index)])),
    [rows],
  );
  if (!may) return <SignInHint text="An agent's diary is for members." />;
  if (rows === null) return <Unread refused={refused} />;
  if (rows.length === 0) return <p className="empty">Nothing yet. A turn appears each time the agent thinks.</p>;
  return (
    <>
      {refused !== null && <RefusedNotice refused={refused} />}
      <ol className="turns">
        {entries.map((entry) => (
          <StayEntry key={entry.key} entry={entry} reasons={reasons} />
        ))}
      </ol>
      <MoreButton more={more} word="Older turns" />
    </>
  );
}

type StayProps = Readonly<{ entry: DiaryEntry<Turn>; reasons: ReadonlyMap<string, string> }>;

function StayEntry({ entry: { title, text, at, turns }, reasons }: StayProps) {
  return (
    <li className="turn">
      <details>
        <summary>
          <span className="turn-goal">{title}</span>
          <time dateTime={at}>{timeAgo(at, Date.now())}</time>
        </summary>
        {turns.map((turn) => (
          <TurnFacts key={turn.turn_id} turn={turn} why={reasons.get(turn.turn_id) ?? ''} />
        ))}
      </details>
      {text !== '' && <p>{text}</p>}
    </li>
  );
}

function TurnFacts({ turn, why }: { readonly turn: Turn; readonly why: string }) {
  const words = turnLabel(turn);
  return (
    <dl>
      <Fact name="Saw">{words.wake === '' ? words.saw : `${words.wake}; ${words.saw}`}</Fact>
      <Fact name="Decided">
        {words.goal}
        {why !== words.goal && why !== '' && <>, because {why}</>}
      </Fact>
      {words.did !== '' && (
        <Fact name="Did" className={words.refused ? 'turn-refused' : ''}>
          {words.did}
        </Fact>
      )}
    </dl>
  );
}

type Turn = CallData<typeof listTurns>['turns'][number];
const PAGE = 100;
const EVERY_MS = 8000;

/** The turns of an agent, newest first; all components that show them share one request. No request unless `may`. */
function useTurns(id: string, may: boolean): Pages<Turn, CallData<typeof listTurns>> {
  return usePages(listTurns, may ? { params: { agent_id: id }, query: { limit: PAGE } } : null, {
    list: 'turns',
    id: 'turn_id',
    everyMs: EVERY_MS,
  });
}
