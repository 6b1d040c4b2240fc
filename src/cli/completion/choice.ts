import { printable } from '../../render/printable.ts';

/** One thing that may be typed at the cursor, and a word about it. */
export type Choice = { readonly value: string; readonly about?: string };

/** What may be typed at the cursor: words, or the names of files or folders, which the shell knows best. */
export type Choices =
  | { readonly kind: 'words'; readonly words: readonly Choice[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' };

/** These words, with nothing to say about them. */
export function wordsOf(values: readonly string[]): Choices {
  return { kind: 'words', words: values.map((value) => ({ value })) };
}

/** Nothing that asof knows of. */
export const nothing: Choices = wordsOf([]);

/** The choices that begin with a text, letter case aside; none that could steer a terminal, which a service may send. */
export function beginningWith(choices: Choices, text: string): Choices {
  if (choices.kind !== 'words') return choices;
  const begin = text.toLowerCase();
  return {
    kind: 'words',
    words: choices.words
      .filter(({ value }) => value.toLowerCase().startsWith(begin) && printable(value) === value)
      .map(({ value, about }) => ({ value, ...(about !== undefined && { about: printable(about) }) })),
  };
}
