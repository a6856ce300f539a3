import {
  FIGURES_EVERY_S,
  listNodeFigures,
  roleMay,
  type CallData,
  type GpuFigures,
  type NodeFigures,
  type NodeUser,
} from '@hamlet/contract';
import { Fragment, lazy, useState, type ReactNode } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import {
  Badge,
  Fact,
  Icon,
  LazyBoundary,
  LinkButton,
  Notice,
  RefusedNotice,
  Unread,
  useNow,
} from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { Page } from '../navigation/page.tsx';
import { useAgentName, useAgentNaming, useRole, useTiers, useVillage } from '../village-context.ts';
import { AgentRemedies } from './agent-remedies.tsx';
import {
  bytesLabel,
  coresLabel,
  type Finding,
  findingsOf,
  known,
  networkLabel,
  percentLabel,
  usedBytes,
} from './figure-labels.ts';
import './nodes.css';

export function NodesPage() {
  return (
    <Page
      title="Nodes"
      intro="The machines of the village: what each has, what is short, and who uses it. Times are real time."
      needs="figures:read"
    >
      <Nodes />
    </Page>
  );
}

function Nodes() {
  const may = roleMay(useRole(), 'figures:read');
  const { data, refused } = useLive(listNodeFigures, may ? {} : null, FIGURES_EVERY_S * 1_000);
  if (data === null) return <Unread refused={refused} />;
  return (
    <>
      {refused !== null && <RefusedNotice refused={refused} />}
      <Seats />
      {data.nodes.length === 0 && (
        <p className="card empty">
          <b>No figures yet.</b> The nodes of the cluster appear here within a minute after the village has started,
          unless the chart switches figures off.
        </p>
      )}
      <ul className="node-cards">
        {data.nodes.map((node) => (
          <NodeCard
            key={node.name}
            node={node}
            shortage={data.shortages.find(({ node: name }) => name === node.name) ?? null}
            isOpenAtFirst={data.nodes.length <= OPEN_NODES_MAX}
          />
        ))}
      </ul>
    </>
  );
}

function Seats() {
  const { open } = useVillage();
  const counted = (useTiers().data?.entitlements ?? []).flatMap(({ name, seats }) =>
    seats === null ? [] : [`${name} ${seats.free} of ${seats.total}`],
  );
  if (counted.length === 0) return null;
  return (
    <p className="summary">
      Free seats: <b>{counted.join(', ')}</b>.{' '}
      <LinkButton word="Tiers and seats" onClick={() => open({ view: 'tiers' })} />
    </p>
  );
}

type Shortage = CallData<typeof listNodeFigures>['shortages'][number];

interface NodeCardProps {
  readonly node: NodeFigures;
  /** Null while the node has memory. */
  readonly shortage: Shortage | null;
  readonly isOpenAtFirst: boolean;
}

/** With more nodes, each shows its last hour when a person opens it. */
const OPEN_NODES_MAX = 4;

function NodeCard({ node, shortage, isOpenAtFirst }: NodeCardProps) {
  const now = useNow(10_000);
  const nameOf = useAgentNaming();
  const findings = findingsOf(node, nameOf);
  return (
    <li className="card node-card" data-node={node.name}>
      <header>
        <h2>
          <Icon name="server" size={17} /> {node.name}
        </h2>
        <Badge tone={node.ready ? 'good' : 'bad'}>{node.ready ? 'Ready' : 'Not ready'}</Badge>
        <span className="hint">{node.at === null ? 'Not read yet' : `Read ${timeAgo(node.at, now)}`}</span>
      </header>
      {shortage !== null && <ShortageNotice shortage={shortage} />}
      {findings.map((finding) => (
        <FindingLine key={finding.text} finding={finding} />
      ))}
      <Meters node={node} />
      {node.gpus.map((gpu) => (
        <Gpu key={gpu.id} gpu={gpu} />
      ))}
      <LastHour node={node.name} isOpenAtFirst={isOpenAtFirst} />
      <Users users={node.users} pods={node.pods} isShort={findings.some(({ tone }) => tone !== 'good')} />
    </li>
  );
}

const PAUSED_SHOWN = 12;

function ShortageNotice({ shortage: { since, paused } }: { readonly shortage: Shortage }) {
  const now = useNow(10_000);
  const more = paused.length - PAUSED_SHOWN;
  return (
    <Notice tone="bad" className="node-finding" data-notice="short-of-memory">
      <b>It is short of memory and gives no seats.</b> It became short {timeAgo(since, now)}.
      {paused.length > 0 && (
        <>
          {' '}
          {paused.length === 1 ? 'An agent waits' : `${paused.length} agents wait`} for it, those of the lowest tier
          first:{' '}
          {paused.slice(0, PAUSED_SHOWN).map((id, index) => (
            <Fragment key={id}>
              {index > 0 && ', '}
              <AgentLink id={id} />
            </Fragment>
          ))}
          {more > 0 && <> and {more} more</>}. Volumes and work stay, and agents return a few minutes after memory is
          free.
        </>
      )}{' '}
      Less memory or fewer requests at once for the server of the model help, or agents that sleep.
    </Notice>
  );
}

const NodeCharts = lazy(async () => ({ default: (await import('./usage-charts.tsx')).NodeCharts }));

function LastHour({ node, isOpenAtFirst }: { readonly node: string; readonly isOpenAtFirst: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details className="node-hour" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Last hour</summary>
      {isOpen && (
        <LazyBoundary fallback={null}>
          <NodeCharts node={node} />
        </LazyBoundary>
      )}
    </details>
  );
}

function FindingLine({ finding: { tone, text } }: { readonly finding: Finding }) {
  return (
    <Notice tone={tone} icon={tone === 'good' ? 'check' : 'alert'} className="node-finding">
      {text}.
    </Notice>
  );
}

function Meters({ node: { cpu, memory, disk, network, temperature_celsius: heat } }: { readonly node: NodeFigures }) {
  const memoryUsed = usedBytes(memory);
  const diskUsed = usedBytes(disk);
  return (
    <dl className="node-facts">
      <Meter name="Processor" used={cpu.used_cores} total={cpu.cores} waits={cpu.pressure_percent}>
        {known(cpu.used_cores, coresLabel)} of {coresLabel(cpu.cores)}
      </Meter>
      <Meter name="Memory" used={memoryUsed} total={memory.total_bytes} waits={memory.pressure_percent}>
        {known(memory.available_bytes, bytesLabel)} free of {bytesLabel(memory.total_bytes)}
        {memory.source === 'kubelet' && <small>, without memory that a GPU driver takes from it</small>}
      </Meter>
      <Meter name="Disk" used={diskUsed} total={disk.total_bytes} waits={disk.pressure_percent}>
        {known(disk.available_bytes, bytesLabel)} free of {known(disk.total_bytes, bytesLabel)}
      </Meter>
      <Fact name="Network">{networkLabel(network)}</Fact>
      {heat !== null && <Fact name="Temperature">{Math.round(heat)} °C at the warmest sensor</Fact>}
    </dl>
  );
}

/** From these shares on, a meter is drawn in the browser's colours of a high and a critical value. */
const FULL = { low: 0.75, high: 0.9 } as const;

interface MeterProps {
  readonly name: string;
  readonly used: number | null;
  readonly total: number | null;
  readonly waits: number | null;
  readonly children: ReactNode;
}

function Meter({ name, used, total, waits, children }: MeterProps) {
  return (
    <Fact name={name}>
      {children}
      {waits !== null && <small> · waited for {percentLabel(waits)} of the last minute</small>}
      {used !== null && total !== null && total > 0 && (
        <meter
          min={0}
          max={total}
          low={total * FULL.low}
          high={total * FULL.high}
          optimum={0}
          value={Math.min(used, total)}
          aria-label={`${name} in use`}
        />
      )}
    </Fact>
  );
}

function Gpu({ gpu }: { readonly gpu: GpuFigures }) {
  const { memory_used_bytes: used, memory_total_bytes: total, power_watts: power, temperature_celsius: heat } = gpu;
  return (
    <section className="node-gpu" aria-label={`GPU ${gpu.id}`} data-gpu={gpu.id}>
      <h3>{gpu.model ?? `GPU ${gpu.id}`}</h3>
      <dl className="node-facts">
        <Fact name="Busy">
          {known(gpu.busy_percent, percentLabel)}
          {gpu.busy_percent !== null && <meter min={0} max={100} value={gpu.busy_percent} aria-label="GPU busy" />}
        </Fact>
        <Fact name="GPU memory">
          {used === null || total === null
            ? 'Shares the memory of the node'
            : `${bytesLabel(used)} of ${bytesLabel(total)}`}
        </Fact>
        {heat !== null && <Fact name="Temperature">{Math.round(heat)} °C</Fact>}
        {power !== null && <Fact name="Power">{Math.round(power)} W</Fact>}
        {gpu.agent_ids.length > 0 && (
          <Fact name="Held by">
            {gpu.agent_ids.map((id) => (
              <AgentLink key={id} id={id} />
            ))}
          </Fact>
        )}
      </dl>
    </section>
  );
}

function AgentLink({ id }: { readonly id: string }) {
  const { select } = useVillage();
  return <LinkButton word={useAgentName(id)} onClick={() => select(id)} data-agent={id} />;
}

interface UsersProps {
  readonly users: readonly NodeUser[];
  readonly pods: number;
  /** True if the node is short of something, so that the agents on it have remedies. */
  readonly isShort: boolean;
}

function Users({ users, pods, isShort }: UsersProps) {
  const mayRelieve = roleMay(useRole(), 'agent:lifecycle');
  if (users.length === 0) return null;
  return (
    <table className="node-users">
      <caption>Used by {pods === 1 ? '1 pod' : `${pods} pods`}, largest memory first</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Memory</th>
          <th scope="col">Processor</th>
        </tr>
      </thead>
      <tbody>
        {users.map(({ kind, name, memory_bytes: memory, cpu_cores: cores }) => (
          <tr key={`${kind}/${name}`} data-user={name}>
            <th scope="row">
              {kind === 'agent' ? <AgentLink id={name} /> : name}
              {kind === 'namespace' && <small> namespace</small>}
              {kind === 'agent' && isShort && mayRelieve && <AgentRemedies id={name} />}
            </th>
            <td>{bytesLabel(memory)}</td>
            <td>{known(cores, coresLabel)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
