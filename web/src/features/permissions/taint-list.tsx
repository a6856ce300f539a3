import type { TaintMark } from '@hamlet/contract';
import { LinkButton, Time, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { useShowAgent, useVillage } from '../village-context.ts';
import './permissions.css';
import { originLabel } from '../../client/minds/origin-label.ts';

type TaintProps = Readonly<{ agentId: string; taint: readonly TaintMark[] }>;

/** The first texts from outside that reached a run of the agent, each with a link to where it came from. */
export function TaintList({ agentId, taint }: TaintProps) {
  const now = useNow(10_000);
  return (
    <ul className="taint-marks" data-taint={taint.map(({ source }) => source).join(' ')}>
      {taint.map((mark) => {
        const { source, call_id: call, at } = mark;
        return (
          <li key={source}>
            <Origin agentId={agentId} mark={mark} />
            {call !== null && (
              <>
                {' '}
                <small>call {call}</small>
              </>
            )}{' '}
            <Time at={at} word={timeAgo(at, now)} />
          </li>
        );
      })}
    </ul>
  );
}

function Origin({ agentId, mark }: Readonly<{ agentId: string; mark: TaintMark }>) {
  const { open } = useVillage();
  const showAgent = useShowAgent();
  const { source, detail, run_id: run } = mark;
  const word = originLabel(mark);
  if (run !== null) return <LinkButton word={word} onClick={() => open({ view: 'runs', run })} />;
  if (source !== 'memory') return <>{word}</>;
  return <LinkButton word={word} onClick={() => showAgent(agentId, { tab: 'mind', memory: detail })} />;
}
