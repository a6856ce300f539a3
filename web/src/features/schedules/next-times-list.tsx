import { dateTime, timeAhead } from '../../ui/time-labels.ts';
import { useNow } from '../../ui/controls.tsx';
import { zonesOf } from './timetable.ts';

export const viewerZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function NextTimesList({ slots, timeZone }: Readonly<{ slots: readonly number[]; timeZone: string | null }>) {
  const now = useNow(1000);
  const zones = zonesOf(timeZone, viewerZone());
  if (slots.length === 0) return <p className="empty">No next run.</p>;
  return (
    <table className="times">
      <thead>
        <tr>
          <th scope="col">
            <span className="sr-only">In</span>
          </th>
          {zones.map(({ zone, word }) => (
            <th key={zone} scope="col">
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {slots.map((slot) => (
          <tr key={slot} data-slot={new Date(slot).toISOString()}>
            <td>{timeAhead(slot, now)}</td>
            {zones.map(({ zone }) => (
              <td key={zone}>{dateTime(slot, zone)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
