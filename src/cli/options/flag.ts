/** A flag of a command. */
export type Flag = {
  /** Its name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What help calls its value, which is completed by this name; a flag without one is a switch. */
  readonly value?: string;
  readonly about: string;
  /** The values that it may have. */
  readonly choices?: readonly string[];
  /** Its value where it is not given, which help shows. */
  readonly fallback?: string;
  readonly required?: boolean;
  /** Whether it may be given several times. */
  readonly repeatable?: boolean;
  /** The heading of help that it is listed under, unless it is the command's own. */
  readonly group?: FlagGroup;
};

/** The headings for the flags that many commands share. */
export type FlagGroup = 'Output' | 'Connection' | 'Messages';

/** An argument of a command. */
export type ArgumentSpec = {
  readonly name: string;
  readonly about?: string;
  readonly optional?: boolean;
  readonly several?: boolean;
  readonly choices?: readonly string[];
};
