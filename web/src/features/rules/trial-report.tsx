import type { PolicyTrial, TrialExample, Verdict } from '@hamlet/contract';
import { Badge, LinkButton, Time, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { toolLabel } from '../permissions/tool-labels.ts';
import { useAgentName, useVillage } from '../village-context.ts';
import {
  answersLabel,
  classWords,
  headline,
  loosens,
  ruleLabel,
  unknownLabels,
  VERDICT_TONES,
  VERDICT_WORDS,
} from './rules-labels.ts';

export function TrialReport({ trial }: { readonly trial: PolicyTrial }) {
  const { changes, by_class: byClass, by_agent: byAgent, examples, changed } = trial;
  const unknown = unknownLabels(trial);
  return (
    <div className="trial-report" role="status" data-changed={changed}>
      <h3>{headline(trial)}</h3>
      {changes.length > 0 && (
        <ul className="trial-changes" aria-label="Changes">
          {changes.map((change) => (
            <ChangeTile key={`${change.from} ${change.to}`} change={change} />
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <div className="trial-sums">
          <Sums title="By class" rows={byClass} />
          <Sums title="By agent" rows={byAgent} ofAgents />
        </div>
      )}
      {examples.length > 0 && <Examples examples={examples} changed={changed} />}
      {unknown.length > 0 && (
        <div className="trial-unknown">
          <h4>Not judged</h4>
          <ul>
            {unknown.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      <p className="hint">
        Only calls of runs count. Taint and the answers of people are as they were then: a run that these rules had
        stopped earlier would have made other calls.
      </p>
    </div>
  );
}

function Change({ from, to }: Readonly<{ from: Verdict; to: Verdict }>) {
  return (
    <span className="trial-change">
      <Badge tone={VERDICT_TONES[from]}>{VERDICT_WORDS[from]}</Badge>
      <span role="img" aria-label="becomes">
        →
      </span>
      <Badge tone={VERDICT_TONES[to]}>{VERDICT_WORDS[to]}</Badge>
    </span>
  );
}

function ChangeTile({ change }: { readonly change: PolicyTrial['changes'][number] }) {
  const answers = answersLabel(change.answers);
  return (
    <li className="trial-tile" data-loosens={loosens(change)}>
      <b>{change.calls.toLocaleString('en')}</b>
      <Change from={change.from} to={change.to} />
      <small>{loosens(change) ? 'More would run.' : 'Less would run.'}</small>
      {answers !== null && <small>{answers}</small>}
    </li>
  );
}

type SumsProps = Readonly<{ title: string; rows: PolicyTrial['by_class']; ofAgents?: boolean }>;

function Sums({ title, rows, ofAgents = false }: SumsProps) {
  if (rows.length === 0) return null;
  return (
    <table className="times trial-table">
      <caption>{title}</caption>
      <tbody>
        {rows.map(({ name, from, to, calls }) => (
          <tr key={`${name} ${from} ${to}`}>
            <th scope="row">{ofAgents ? <AgentName id={name} /> : (classWords(name) ?? <code>{name}</code>)}</th>
            <td>
              <Change from={from} to={to} />
            </td>
            <td className="trial-number">{calls.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function AgentName({ id }: { readonly id: string }) {
  return <>{useAgentName(id)}</>;
}

function Examples({ examples, changed }: Readonly<{ examples: readonly TrialExample[]; changed: number }>) {
  return (
    <div className="trial-examples">
      <h4>{examples.length < changed ? `The newest of them, ${examples.length} of ${changed}` : 'The calls'}</h4>
      <ul>
        {examples.map((example) => (
          <Example key={`${example.run_id} ${example.call_id}`} example={example} />
        ))}
      </ul>
    </div>
  );
}

function Example({ example }: { readonly example: TrialExample }) {
  const { open } = useVillage();
  const now = useNow(30_000);
  const { run_id: run, agent_id: agent, at, tool, words, before, after, answer } = example;
  return (
    <li className="trial-example">
      <Change from={before.verdict} to={after.verdict} />
      <span className="trial-call">
        <b>{toolLabel(tool).word}</b> {words !== null && <code>{words}</code>}
        <small>
          <AgentName id={agent} /> · <Time at={at} word={timeAgo(at, now)} />
          {answer !== null && ` · people then: ${answer}`} ·{' '}
          <LinkButton word="Open the run" onClick={() => open({ view: 'runs', run })} />
        </small>
        <small>{ruleLabel(after)}</small>
      </span>
    </li>
  );
}
