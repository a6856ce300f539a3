const SHOWN_CHARS = 40;

/** Why a text cannot be read as one certain value, with the place. Thrown and caught inside the reader. */
export class Fault extends Error {
  constructor(why: string, text: string, at: number) {
    super(`${why} ${placeIn(text, at)}`);
  }
}

/** Line and column as editors count them, with the text that follows. */
function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const next = text.slice(at, at + SHOWN_CHARS).toWellFormed();
  const where = `at line ${line}, column ${column}`;
  return next === '' ? `${where}, where the text ends` : `${where}, before ${JSON.stringify(next)}`;
}
