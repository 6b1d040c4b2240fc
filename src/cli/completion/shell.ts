import { printable } from '../../render/printable.ts';

/** One word that may be typed at the cursor, and a description of it. */
export type Choice = { readonly value: string; readonly about?: string };

/** What may be typed at the cursor: words, or the names of files or folders, which the shell completes itself. */
export type Choices =
  | { readonly kind: 'words'; readonly words: readonly Choice[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' };

/** How asof and a shell exchange completions. */
export type Shell = {
  /** The script that the shell reads once: it registers a function that calls asof at each TAB. */
  readonly script: string;
  /** The words before the cursor and the current one, from what the script sends; undefined where asof is not concerned. */
  readonly request: (
    sent: readonly string[],
  ) => { readonly words: readonly string[]; readonly current: string } | undefined;
  /** The lines that the script reads: the kind of choices, then the words in the form that the shell takes. */
  readonly answer: (choices: Choices, lead: string, sent: readonly string[]) => readonly string[];
};

/** These words, without descriptions. */
export function wordsOf(values: readonly string[]): Choices {
  return { kind: 'words', words: values.map((value) => ({ value })) };
}

/** No completion. */
export const nothing: Choices = wordsOf([]);

/** The choices that start with a text in any letter case; none with control characters, which a service could send. */
export function startingWith(choices: Choices, text: string): Choices {
  if (choices.kind !== 'words') return choices;
  const start = text.toLowerCase();
  return {
    kind: 'words',
    words: choices.words
      .filter(({ value }) => value.toLowerCase().startsWith(start) && printable(value) === value)
      .map(({ value, about }) => ({ value, ...(about !== undefined && { about: printable(about) }) })),
  };
}
