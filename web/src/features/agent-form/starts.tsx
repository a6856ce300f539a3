import { type Character, listCharacters } from '@hamlet/contract';
import { useLive } from '../../client/query/use-live.ts';
import { Unread } from '../../ui/controls.tsx';

/** Characters are built into the village and change only with it. */
const CHARACTERS_MS = 600_000;

type StartProps = Readonly<{ chosen: string; onChoose: (character: Character | null) => void }>;

/** A new agent begins with nothing, or with one of the characters of the village. */
export function Starts({ chosen, onChoose }: StartProps) {
  const { data, refused } = useLive(listCharacters, {}, CHARACTERS_MS);
  return (
    <fieldset className="agent-plain">
      <legend className="section-name">Begin with</legend>
      <div className="agent-starts">
        <Start
          id="blank"
          name="Blank"
          line="You write who it is."
          on={chosen === 'blank'}
          onOn={() => onChoose(null)}
        />
        {(data?.characters ?? []).map((character) => (
          <Start key={character.id} {...character} on={chosen === character.id} onOn={() => onChoose(character)} />
        ))}
      </div>
      {data === null && <Unread refused={refused} word="Loading the characters…" />}
    </fieldset>
  );
}

type ChoiceProps = Pick<Character, 'id' | 'name' | 'line'> & Readonly<{ on: boolean; onOn: () => void }>;

function Start({ id, name, line, on, onOn }: ChoiceProps) {
  return (
    <label className="card agent-start" data-start={id}>
      <input type="radio" name="start" value={id} checked={on} onChange={onOn} />
      <b>{name}</b>
      <span>{line}</span>
    </label>
  );
}
