import { getArtifactImage, urlOf } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { visibleText } from '../permissions/shown-arguments.ts';
import type { ShownArtifact } from './result-labels.ts';
import './results.css';

/** An image that the village serves by its own type, which only a PNG or JPEG has. */
export function ArtifactImage({ artifact }: { readonly artifact: ShownArtifact }): ReactElement {
  const { artifact_id, name } = artifact;
  const url = urlOf(getArtifactImage, { params: { artifact_id } });
  return (
    <a className="artifact-image" href={url} target="_blank" rel="noopener noreferrer" title={visibleText(name)}>
      <img src={url} alt={visibleText(name)} loading="lazy" decoding="async" />
    </a>
  );
}
