import type { ReactElement } from 'react';
import type { SeatPicture } from './tier-picture.ts';

/** More seats than this are drawn as a bar. */
const SQUARES = 64;

/** Seats as squares: held by this tier, used by others, free. Colour is never the only difference. */
export function SeatMap({ picture }: { readonly picture: SeatPicture | null }): ReactElement {
  if (picture === null) return <p className="hint">Seats are not counted here.</p>;
  const { own, others, free, total } = picture;
  const words = `${free} of ${total} ${total === 1 ? 'seat is' : 'seats are'} free${others > 0 ? `; other tiers use the room of ${others}` : ''}`;
  const kinds = [
    ['own', own],
    ['others', others],
    ['free', free],
  ] as const;
  return (
    <figure className="seats" data-free={free} data-total={total}>
      <figcaption>
        <b>{free}</b> of {total} {total === 1 ? 'seat' : 'seats'} free
        {others > 0 && <small>, other tiers use the room of {others}</small>}
      </figcaption>
      {total > 0 && total <= SQUARES && (
        <div className="seat-squares" role="img" aria-label={words}>
          {kinds.flatMap(([kind, count]) =>
            Array.from({ length: count }, (_, index) => (
              <span key={`${kind}${index}`} className={`seat seat-${kind}`} />
            )),
          )}
        </div>
      )}
      {total > SQUARES && (
        <div className="seat-bar" role="img" aria-label={words}>
          {kinds.map(([kind, count]) => (
            <span key={kind} className={`seat-${kind}`} style={{ flexGrow: count }} />
          ))}
        </div>
      )}
    </figure>
  );
}
