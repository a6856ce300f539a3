import { MANIFEST_FILES } from '@hamlet/contract';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/controls.tsx';
import { type TabItem, Tabs } from '../../../ui/tabs.tsx';

export const FILES_LABEL = 'Manifests';

interface FileBarProps {
  readonly files: readonly string[];
  readonly chosen: string;
  readonly wrong: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  readonly readOnly: boolean;
  readonly onChoose: (file: string) => void;
  readonly onAdd: (file: string) => void;
  readonly onDelete: (file: string) => void;
}

/** The tabs of the files, with a dot for problems and a star for unsaved changes. Adds one of the seven, and deletes. */
export function FileBar(props: FileBarProps) {
  const { files, chosen, wrong, changed, readOnly, onChoose, onAdd, onDelete } = props;
  const [deleting, setDeleting] = useState<string | null>(null);
  const items = files.map((file): TabItem<string> => ({
    key: file,
    word: changed.has(file) ? `${file} *` : file,
    mark: wrong.has(file) ? 'bad' : undefined,
  }));
  const absent = MANIFEST_FILES.filter((file) => !files.includes(file));
  const bar = useRef<HTMLDivElement>(null);
  // A phone shows only some of the tabs: scrolls them, never the page.
  useEffect(() => {
    const row = bar.current?.querySelector<HTMLElement>('.tabs');
    const tab = row?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (row !== null && row !== undefined && tab !== null && tab !== undefined)
      row.scrollLeft = tab.offsetLeft - row.offsetLeft;
  }, [chosen]);
  return (
    <div ref={bar} className="file-bar">
      <Tabs label={FILES_LABEL} items={items} chosen={chosen} onChoose={onChoose} />
      {!readOnly && (
        <div className="file-tools">
          {absent.length > 0 && (
            <select
              className="pick-small"
              aria-label="Add a file"
              name="add-file"
              value=""
              onChange={(event) => onAdd(event.target.value)}
            >
              <option value="">Add…</option>
              {absent.map((file) => (
                <option key={file}>{file}</option>
              ))}
            </select>
          )}
          <Button
            icon="trash"
            word={deleting === chosen ? `Delete ${chosen}?` : 'Delete'}
            look={deleting === chosen ? 'danger' : 'small'}
            data-action="delete-file"
            onBlur={() => setDeleting(null)}
            onClick={() => {
              setDeleting(deleting === chosen ? null : chosen);
              if (deleting === chosen) onDelete(chosen);
            }}
          />
        </div>
      )}
    </div>
  );
}
