import type { TaintMark } from '@hamlet/contract';
import { LinkButton, Time, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { useVillage } from '../village-context.ts';
import './permissions.css';
import { originLabel } from '../../client/origin-label.ts';

export function TaintList({ taint }: { readonly taint: readonly TaintMark[] }) {
  const now = useNow(10_000);
  const { open } = useVillage();
  return (
    <ul className="taint-marks" data-taint={taint.map(({ source }) => source).join(' ')}>
      {taint.map((mark) => {
        const { source, call_id: call, run_id: run, at } = mark;
        return (
          <li key={source}>
            {run === null ? (
              originLabel(mark)
            ) : (
              <LinkButton word={originLabel(mark)} onClick={() => open({ view: 'runs', run })} />
            )}
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
