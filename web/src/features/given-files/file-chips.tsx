import { base64Bytes, type GivenFile } from '@hamlet/contract';
import { visibleText } from '@hamlet/core/visible-text';
import { Icon, IconButton } from '../../ui/controls.tsx';
import { sizeLabel } from '../results/result-labels.ts';
import './given-files.css';

interface ChipFile {
  readonly name: string;
  readonly bytes: number;
}

/** A file that is not sent yet. */
export const chipOf = ({ name, content }: GivenFile): ChipFile => ({ name, bytes: base64Bytes(content) });

/** Files of a message by the names that their author gave them. `onRemove` receives the place of a file in the list. */
export function FileChips({
  files,
  onRemove,
}: Readonly<{ files: readonly ChipFile[]; onRemove?: (at: number) => void }>) {
  if (files.length === 0) return null;
  return (
    <ul className="given-files" aria-label="Files of this message">
      {files.map(({ name, bytes }, at) => (
        <li key={`${at} ${name}`} className="given-file" data-file={name}>
          <Icon name="attach" size={14} />
          <span className="given-name" title={visibleText(name)}>
            {visibleText(name)}
          </span>
          <span className="given-size">{sizeLabel(bytes)}</span>
          {onRemove !== undefined && (
            <IconButton
              icon="close"
              iconPx={12}
              className="icon-button-small"
              label={`Remove ${visibleText(name)}`}
              onClick={() => onRemove(at)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
