import { getArtifactContent, urlOf } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { visibleText } from '../permissions/shown-arguments.ts';
import { originLabel } from '../permissions/taint-labels.ts';
import { ArtifactPreview } from './artifact-preview.tsx';
import { kindLabel, type ShownArtifact, sizeLabel } from './result-labels.ts';
import './results.css';

interface CardProps {
  readonly artifact: ShownArtifact;
  /** Address of the bytes; by default that for the readers of the run. */
  readonly contentUrl?: string;
}

/** A thing that an agent delivered: name, kind and size, its content on demand, and a download. Nothing of it is ever run. */
export function ArtifactCard({ artifact, contentUrl = contentUrlOf(artifact) }: CardProps): ReactElement {
  const [open, setOpen] = useState(false);
  const { artifact_id: id, name, bytes, deliverable, taint = null } = artifact;
  return (
    <section className="artifact" data-artifact={id} data-kind={deliverable ?? 'none'} aria-label={visibleText(name)}>
      <header className="artifact-head">
        <Icon name="bag" size={16} />
        <span className="artifact-name">{visibleText(name)}</span>
        <span className="artifact-facts">
          {kindLabel(deliverable)} · {sizeLabel(bytes)}
        </span>
        <span className="artifact-acts">
          <Button
            word={open ? 'Close' : 'Open'}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            data-action="open-artifact"
          />
          <a className="button button-small" href={contentUrl} download={name}>
            <Icon name="down" size={14} />
            Download
          </a>
        </span>
      </header>
      {taint !== null && (
        <p className="artifact-taint" data-taint={taint.source}>
          Made after text from outside had reached the run: {taintWord(taint)}. Check it before you use it.
        </p>
      )}
      {open && <ArtifactPreview artifact={artifact} contentUrl={contentUrl} />}
    </section>
  );
}

/** The origin within a sentence. */
function taintWord(taint: NonNullable<ShownArtifact['taint']>): string {
  const label = visibleText(originLabel(taint));
  return `${label.slice(0, 1).toLowerCase()}${label.slice(1)}`;
}

export const contentUrlOf = ({ artifact_id }: Pick<ShownArtifact, 'artifact_id'>): string =>
  urlOf(getArtifactContent, { params: { artifact_id } });
