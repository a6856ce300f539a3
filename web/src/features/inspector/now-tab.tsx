import type { AgentDetail, Capability, SkillSet, SkillView } from '@hamlet/contract';
import { getCapabilities, listSkills, listTurns, roleMay } from '@hamlet/contract';
import { lazy, type ReactNode, useState } from 'react';
import type { Row } from '../../client/app-state.ts';
import { Badge, Icon, LazyBoundary, LinkButton, Notice, Time, type Tone, useNow } from '../../ui/controls.tsx';
import { MindFacts } from '../mind/mind-facts.tsx';
import { ScriptList } from '../scripts/script-list.tsx';
import { reasonOf } from './diary/turn-labels.ts';
import { AgentActions } from './agent-actions.tsx';
import { LifecycleActions } from './lifecycle-actions.tsx';
import { useLive } from '../../client/query/use-live.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { brokenFirst, capabilityCount, capabilityLabel, skillFromLabel } from '../capabilities/capability-labels.ts';
import '../capabilities/capabilities.css';
import type { IconName } from '../../ui/icon-paths.ts';
import { adviceOf, type ConditionLabel, conditionLabels, messageOf } from './condition-labels.ts';
import { useRole, useTierLabel, useVillage, useVillageState } from '../village-context.ts';
import { shortMoneyLabel, priceLabel } from '../../client/labels.ts';
import { limitLabel } from '../market/item-labels.ts';

function FactList({ row, detail }: { readonly row: Row; readonly detail: AgentDetail }) {
  const { open } = useVillage();
  const tier = useTierLabel(detail.tier);
  return (
    <dl className="facts">
      {detail.mind !== null && (
        <Fact icon="thought" title="Mind">
          <MindFacts mind={detail.mind} />
        </Fact>
      )}
      <Fact icon="pin" title="Place">
        {row.place ?? 'On the way'}{' '}
        <small>
          {Math.round(row.x)}, {Math.round(row.y)}
        </small>
      </Fact>
      <WhyHere id={detail.agent_id} />
      <Fact icon="market" title="Carries">
        {carriedLabel(row.carried)}
      </Fact>
      <Fact icon="server" title="Node">
        {detail.node ?? 'None'} {detail.pod !== null && <small>pod {detail.pod}</small>}
      </Fact>
      <Fact icon="reboot" title="Run cycle">
        {detail.cycle}
      </Fact>
      <Fact icon="coin" title="Balance">
        <BalanceFact detail={detail} />
      </Fact>
      <Fact icon="chip" title="Tier">
        <LinkButton word={detail.tier === null ? 'None' : tier} onClick={() => open({ view: 'tiers' })} />{' '}
        <small>{detail.entitlement.policy === 'Pinned' ? 'pinned' : 'by balance'}</small>
      </Fact>
      <Fact icon="bag" title="Price">
        {detail.entitlement.price === null ? 'Not known' : priceLabel(detail.entitlement.price)}
      </Fact>
      <Fact icon="seat" title="Seat">
        {seatLabel(detail)}
      </Fact>
      <Fact icon="signal" title="Limits">
        {limitLabel(detail.entitlement.limits)}
      </Fact>
      <Fact icon="home" title="Home">
        <HomeName id={detail.home} />
      </Fact>
      <Fact icon="clock" title="Last seen">
        {lastSeen(row, detail)}
      </Fact>
      {detail.a2a === true && (
        <Fact icon="globe" title="A2A address">
          {`${window.location.origin}/a2a/${detail.agent_id}`}
        </Fact>
      )}
    </dl>
  );
}

const WHY_MS = 5_000;
/** A walk lasts several turns, and the one that began it has the reason. */
const WHY_TURNS = 12;

/** Why the agent is where it is, by its newest turns. */
function WhyHere({ id }: { readonly id: string }) {
  const may = roleMay(useRole(), 'turns:read');
  const input = may ? { params: { agent_id: id }, query: { limit: WHY_TURNS } } : null;
  const reason = reasonOf(useLive(listTurns, input, WHY_MS).data?.turns ?? [], 0);
  if (reason === '') return null;
  return (
    <Fact icon="thought" title="Why there">
      {reason}
    </Fact>
  );
}

function lastSeen({ online }: Row, { status }: AgentDetail): string {
  if (online) return 'Online';
  return status.last_seen === null ? 'Never' : timeAgo(status.last_seen, Date.now());
}

function BalanceFact({ detail }: { readonly detail: AgentDetail }) {
  const { open } = useVillage();
  return (
    <LinkButton
      word={detail.balance === null ? 'No account yet' : shortMoneyLabel(detail.balance)}
      onClick={() => open({ tab: 'money' })}
      data-balance={detail.balance ?? ''}
    />
  );
}

function HomeName({ id }: { readonly id: string | null }) {
  const name = useVillageState((state) => state.landmarks.find((landmark) => landmark.id === id)?.name);
  return <>{name ?? id ?? 'None'}</>;
}

function Fact({ icon, title, children }: Readonly<{ icon: IconName; title: string; children: ReactNode }>) {
  return (
    <div className="fact">
      <dt>
        <Icon name={icon} size={16} />
        {title}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The agent's seat, by the condition Admitted. The operator's message has the agent's place in the queue. */
function seatLabel({ conditions, power }: Pick<AgentDetail, 'conditions' | 'power'>): string {
  const admitted = conditions.find((condition) => condition.type === 'Admitted');
  if (admitted?.status === 'True') return 'Has one';
  if (power === 'Asleep') return 'Needs none while asleep';
  if (admitted === undefined || admitted.reason === 'Waiting') return 'Not asked for yet';
  return admitted.message === '' ? 'Waits for one' : `Waits: ${admitted.message}`;
}

function carriedLabel(carried: readonly string[]): string {
  if (carried.length === 0) return 'Nothing';
  return [...new Set(carried)]
    .map((kind) => {
      const count = carried.filter((other) => other === kind).length;
      return count === 1 ? kind : `${kind} × ${count}`;
    })
    .join(', ');
}

export function NowTab({ row, detail }: { readonly row: Row; readonly detail: AgentDetail }) {
  const why = (
    <Section title={detail.why.ready ? 'Why it runs' : 'Why it is not running'}>
      <ConditionList detail={detail} />
    </Section>
  );
  const facts = (
    <Section title="Now">
      <FactList row={row} detail={detail} />
    </Section>
  );
  // If the agent does not run, the reason comes before the facts.
  return (
    <>
      <LifecycleActions agent={detail} />
      <AgentActions agent={detail} />
      {detail.why.ready ? (
        <>
          {facts}
          {why}
        </>
      ) : (
        <>
          {why}
          {facts}
        </>
      )}
      <Usage agent={detail} />
      <CapabilityList agent={detail} />
      <SkillList agent={detail} />
      <ScriptList agent={detail} />
    </>
  );
}

const UsageCharts = lazy(async () => ({ default: (await import('../nodes/usage-charts.tsx')).UsageCharts }));

function Usage({ agent }: { readonly agent: AgentDetail }) {
  if (!roleMay(useRole(), 'figures:read')) return null;
  return (
    <Section title="Use in the last hour">
      <LazyBoundary fallback={null}>
        <UsageCharts id={agent.agent_id} />
      </LazyBoundary>
    </Section>
  );
}

type SectionProps = Readonly<{ title: string; closed?: boolean; children: ReactNode }>;

export function Section({ title, closed = false, children }: SectionProps) {
  const [open, setOpen] = useState(!closed);
  return (
    <section className="section">
      <h3>
        <button type="button" className="section-title" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="chevron" size={14} />
          {title}
        </button>
      </h3>
      {open && children}
    </section>
  );
}

const REFRESH_MS = 10_000;

function CapabilityList({ agent }: { readonly agent: AgentDetail }) {
  const { data } = useLive(getCapabilities, { params: { agent_id: agent.agent_id } }, REFRESH_MS);
  const now = useNow(10_000);
  if (data === null || data.reported_at === null || data.capabilities.length === 0) return null;
  return (
    <section className="section" aria-label="Capabilities">
      <h3 className="section-name">Capabilities · {capabilityCount(data.capabilities)}</h3>
      <ul className="conditions capabilities">
        {brokenFirst(data.capabilities).map((capability) => (
          <CapabilityLine key={`${capability.kind} ${capability.name}`} capability={capability} />
        ))}
      </ul>
      <p className="hint">
        The agent checked this {timeAgo(data.reported_at, now)}
        {data.cycle !== agent.cycle && ', in an earlier cycle'}.
      </p>
    </section>
  );
}

function CapabilityLine({ capability }: { readonly capability: Capability }) {
  const { ok, why, fix } = capability;
  return (
    <li className={`condition condition-${ok ? 'good' : 'bad'}`} data-capability={capability.name} data-ok={ok}>
      <span className="condition-mark">
        <Icon name={ok ? 'check' : 'alert'} size={13} />
      </span>
      <span>
        <b>{capabilityLabel(capability)}</b> <span className="sr-only">{ok ? 'works' : 'is missing'}:</span>{' '}
        <span className="condition-text">{why}</span>
        {fix !== null && <span className="capability-fix">Fix: {fix}</span>}
      </span>
    </li>
  );
}

const ICONS: Readonly<Record<ConditionLabel['tone'], IconName>> = {
  good: 'check',
  waiting: 'clock',
  bad: 'alert',
  info: 'sleep',
};

function ConditionList({ detail }: { readonly detail: AgentDetail }) {
  return (
    <>
      {!detail.why.ready && <Blocker detail={detail} />}
      <ul className="conditions">
        {conditionLabels(detail.conditions).map((condition) => (
          <li
            key={condition.type}
            className={`condition condition-${condition.tone}`}
            title={`${condition.type}: ${condition.reason}`}
            data-reason={condition.reason}
          >
            <span className="condition-mark">
              <Icon name={ICONS[condition.tone]} size={13} />
            </span>
            <span>
              <b>{condition.title}</b> <span className="condition-text">{condition.text}</span>
            </span>
            <Time at={condition.since} word={timeAgo(condition.since, Date.now())} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Blocker({ detail: { why, power } }: { readonly detail: AgentDetail }) {
  const advice = adviceOf(why.reason);
  const calm = power === 'Asleep';
  return (
    <Notice tone={calm ? 'info' : 'waiting'} icon={calm ? 'sleep' : 'info'} className="why" data-why={why.reason}>
      <code className="reason">{why.reason}</code> {messageOf(why)}
      {advice !== null && <span className="why-advice">{advice}</span>}
    </Notice>
  );
}

const SKILLS_REFRESH_MS = 5_000;
const STATES: Readonly<Record<SkillView['state'], Readonly<{ word: string; tone: Tone }>>> = {
  ready: { word: 'Ready', tone: 'good' },
  broken: { word: 'Broken', tone: 'bad' },
  unknown: { word: 'Not looked at yet', tone: 'waiting' },
};

function SkillList({ agent }: { readonly agent: AgentDetail }) {
  const role = useRole();
  const params = { agent_id: agent.agent_id };
  const { data } = useLive(listSkills, roleMay(role, 'runs:read') ? { params, query: {} } : null, SKILLS_REFRESH_MS);
  if (data === null || data.skills.length === 0) return null;
  return (
    <section className="section" aria-label="Skills">
      <h3 className="section-name">Skills</h3>
      <ul className="skills">
        {data.skills.map((skill) => (
          <SkillLine key={skill.name} skill={skill} runs={data.runs} />
        ))}
      </ul>
    </section>
  );
}

function SkillLine({ skill, runs }: Readonly<{ skill: SkillView; runs: readonly SkillSet[] }>) {
  const { word, tone } = STATES[skill.state];
  return (
    <li className="skill" data-skill={skill.name} data-state={skill.state}>
      <span className="skill-head">
        <b>{skill.name}</b> <Badge tone={tone}>{word}</Badge>
        <span className="hint">{skillFromLabel(skill.from)}</span>
        {skill.sha256 !== null && (
          <code className="skill-version" title={`Version ${skill.sha256}`}>
            {skill.sha256.slice(0, 12)}
          </code>
        )}
      </span>
      {skill.description !== null && <p className="skill-text">{skill.description}</p>}
      {skill.problem !== null && <p className="skill-text skill-problem">{skill.problem}</p>}
      <LastUse name={skill.name} runs={runs} />
    </li>
  );
}

function LastUse({ name, runs }: Readonly<{ name: string; runs: readonly SkillSet[] }>) {
  const { open } = useVillage();
  const now = useNow(10_000);
  for (const { run_id: run, skills } of runs) {
    const use = skills.find((skill) => skill.name === name);
    if (use === undefined || use.loaded_at === null) continue;
    return (
      <p className="hint">
        <LinkButton word={`Read ${timeAgo(use.loaded_at, now)}`} onClick={() => open({ view: 'runs', run })} />
        {use.why !== null && <>: {use.why}</>}
      </p>
    );
  }
  return null;
}
