/** The headings under which help lists commands. */
export type CommandGroup = 'Series' | 'Treasury rates' | 'Insiders' | 'Files' | 'Service' | 'Setup';

/** What the shell offers for a value: words, or what asof finds. */
export type Completion =
  | readonly string[]
  | 'columns'
  | 'days'
  | 'files'
  | 'folders'
  | 'ids'
  | 'kinds'
  | 'plans'
  | 'setting values'
  | 'settings'
  | 'tickers';

/** A flag of a command. */
export type Flag = {
  /** Its name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** The name of its value in help; a flag without one is a switch. */
  readonly value?: string;
  readonly complete?: Completion;
  readonly about: string;
  /** The values that it may have. */
  readonly choices?: readonly string[];
  /** The default that help shows. */
  readonly fallback?: string;
  readonly required?: boolean;
  /** Whether a text can be its value, so that a stray argument finds the flag that it belongs to. */
  readonly accepts?: (text: string) => boolean;
  /** Whether it may be given several times. */
  readonly repeatable?: boolean;
  /** The heading that help lists it under; a flag of the command itself has none. */
  readonly group?: FlagGroup;
};

/** The headings for the flags that many commands share. */
type FlagGroup = 'Output' | 'Connection' | 'Messages';

/** An argument of a command. */
export type ArgumentSpec = {
  readonly name: string;
  readonly about?: string;
  readonly optional?: boolean;
  readonly several?: boolean;
  readonly choices?: readonly string[];
  readonly complete?: Completion;
};
