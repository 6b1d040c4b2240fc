import type { Choices } from './choice.ts';

/** How asof and a shell talk about completion. */
export type Shell = {
  /** What the shell reads once: it registers a function that asks asof at each TAB. */
  readonly script: string;
  /** The words before the cursor and the one it stands in, from what the script sends; undefined where that is no word of asof's. */
  readonly request: (
    sent: readonly string[],
  ) => { readonly words: readonly string[]; readonly current: string } | undefined;
  /** The lines that the script reads: the kind of choices, then the words, as the shell wants them. */
  readonly answer: (choices: Choices, lead: string, sent: readonly string[]) => readonly string[];
};
