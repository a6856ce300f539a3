/** The value of a JSON text; undefined if the text is not JSON. Pure. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
