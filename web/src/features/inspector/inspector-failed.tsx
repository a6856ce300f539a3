import { IconButton } from '../../ui/controls.tsx';
import { useVillage } from '../village-context.ts';

export function InspectorFailed() {
  const { select } = useVillage();
  return (
    <section className="inspector panel" role="alert">
      <IconButton icon="close" label="Close" className="panel-close" onClick={() => select(null)} />
      <p className="empty">
        <b>This panel could not be shown.</b> Close it and open it again; if it fails again, load the page again.
      </p>
    </section>
  );
}
