import { listNodeFigures } from '@hamlet/contract';
import { useState } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { Button, IconButton, Notice } from '../../ui/controls.tsx';
import { useAgentNaming, useVillage } from '../village-context.ts';
import { findingsOf } from './figure-labels.ts';

const LOOK_MS = 60_000;

/** The first machine on which something is short, and what. Nothing while none is, or after the person has dismissed it. */
export function SlowNodeNotice() {
  const { open, fetchPage } = useVillage();
  const [dismissed, setDismissed] = useState<string | null>(null);
  const nodes = useLive(listNodeFigures, {}, LOOK_MS).data?.nodes ?? [];
  const nameOf = useAgentNaming();
  const found = nodes.flatMap((node) => findingsOf(node, nameOf).map((finding) => ({ node: node.name, finding })));
  const worst =
    found.find(({ finding }) => finding.tone === 'bad') ?? found.find(({ finding }) => finding.tone === 'waiting');
  if (worst === undefined || worst.node === dismissed) return null;
  const { node, finding } = worst;
  return (
    <Notice
      tone="waiting"
      icon="server"
      data-notice="slow-node"
      end={
        <>
          <Button
            word="See what helps"
            data-action="open-nodes"
            onPointerEnter={() => fetchPage('nodes')}
            onClick={() => open({ view: 'nodes' })}
          />
          <IconButton icon="close" iconPx={14} label="Dismiss" onClick={() => setDismissed(node)} />
        </>
      }
    >
      <b>{node} is slow.</b> <span className="notice-more">{finding.text}.</span>
    </Notice>
  );
}
