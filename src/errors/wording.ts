/** Writes a count with its noun, for messages: `1 series`, `2,000 vintages`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

/** Writes an integer with commas between thousands, for messages: `2,000`. */
export function grouped(count: number): string {
  // Not with `toLocaleString`: the first call loads the data of a language, for 11 of the 110 ms of a query.
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Writes texts as a list, for messages: `A, B or C`. */
export function listed(texts: readonly string[], conjunction: 'and' | 'or'): string {
  return [texts.slice(0, -1).join(', '), texts.at(-1)].filter((part) => part !== '').join(` ${conjunction} `);
}
