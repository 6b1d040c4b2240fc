import type { Demands } from '../analysis/basis.ts';
import type { Query } from '../analysis/query.ts';
import type { ServeTexts } from '../cli/config/serve-settings.ts';
import type { Day } from '../domain/series/date.ts';
import type { ResolvedDay } from '../operations/typed-line.ts';
import type { OutputFlags } from '../render/output.ts';

/** How much a command writes to stderr. */
export type MessageFlags = { readonly quiet: boolean; readonly verbose: boolean; readonly debug: boolean };

/** Which store or service to ask, and how long to wait; the environment and the settings decide what is not given. */
export type ConnectionFlags = {
  readonly store?: string;
  readonly baseUrl?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly retries?: number;
  /** Seconds. */
  readonly maxWait?: number;
};

/** A command that asks for data. */
export type QueryLine = {
  readonly command: 'query';
  /** The words of the command, such as `insider clusters`. */
  readonly words: string;
  readonly query: Query;
  /** What the answer must be based on. */
  readonly demands: Demands;
  readonly output: OutputFlags;
  readonly connection: ConnectionFlags;
  readonly messages: MessageFlags;
  /** Only prints how many requests the query takes. */
  readonly dryRun: boolean;
  /** Exits with 1 where there are rows. */
  readonly exitCode: boolean;
  /** The flags that were typed, with dashes. */
  readonly typed: readonly string[];
  /** The days that were not typed as `YYYY-MM-DD`. */
  readonly resolved: readonly ResolvedDay[];
};

/** `asof snapshot`. */
export type SnapshotLine = {
  readonly command: 'snapshot';
  readonly plan: string;
  readonly out: string;
  /** Undefined means yesterday in UTC. */
  readonly asOf: Day | undefined;
  /** The demands on the data of each line. */
  readonly demands: Demands;
  readonly dryRun: boolean;
  readonly connection: ConnectionFlags;
  readonly messages: MessageFlags;
};

/** `asof verify`. */
export type VerifyLine = {
  readonly command: 'verify';
  readonly folder: string;
  readonly connection: ConnectionFlags;
  readonly messages: MessageFlags;
};

/** `asof facts`. */
export type FactsLine = {
  readonly command: 'facts';
  readonly ids: readonly string[];
  readonly skipMissing?: boolean;
  /** Whether descriptions are written instead of statements. */
  readonly metadata: boolean;
  readonly file: string | undefined;
  readonly store: string | undefined;
  readonly messages: MessageFlags;
};

/** `asof import`. */
export type ImportLine = {
  readonly command: 'import';
  readonly paths: readonly string[];
  readonly kind: string | undefined;
  readonly series: string | undefined;
  /** The new ids of series by their old ones. */
  readonly rename: Readonly<Record<string, string>>;
  readonly asOf: Day | undefined;
  readonly dateFormat: string | undefined;
  readonly filedOn: Day | undefined;
  readonly merge: boolean;
  readonly replace: boolean;
  readonly complete: boolean;
  readonly projections: boolean;
  readonly skipDays: readonly Day[] | undefined;
  readonly skipUnknown: boolean;
  readonly withSample: boolean;
  readonly dryRun: boolean;
  readonly store: string | undefined;
  readonly messages: MessageFlags;
  readonly resolved: readonly ResolvedDay[];
};

/** `asof import --log`. */
export type ImportLogLine = { readonly command: 'import-log'; readonly store: string | undefined };

/** `asof pull`. */
export type PullLine = {
  readonly command: 'pull';
  /** What to follow, by source; undefined for all that the store follows. */
  readonly request: Readonly<Record<string, readonly string[]>> | undefined;
  /** Lists what the store follows. */
  readonly list: boolean;
  /** Lists what FRED has for this text. */
  readonly search: string | undefined;
  readonly full: boolean;
  readonly since: Day | undefined;
  readonly dryRun: boolean;
  /** Seconds. */
  readonly maxDuration: number | undefined;
  readonly output: OutputFlags;
  readonly connection: ConnectionFlags;
  readonly messages: MessageFlags;
};

/** `asof ping --sources`. */
export type SourcesLine = {
  readonly command: 'ping-sources';
  readonly output: OutputFlags;
  readonly connection: ConnectionFlags;
  readonly messages: MessageFlags;
};

/** `asof unfollow`. */
export type UnfollowLine = {
  readonly command: 'unfollow';
  readonly source: string;
  readonly names: readonly string[];
  readonly store: string | undefined;
  readonly messages: MessageFlags;
};

/** `asof store init`. */
export type StoreInitLine = {
  readonly command: 'store init';
  readonly store: string | undefined;
  /** Distributes it over the nodes of Citus. */
  readonly distribute: boolean;
  readonly messages: MessageFlags;
};

/** What cares for a store: `asof store …`, `asof series rename|rm`. */
export type StoreLine = {
  readonly command:
    | 'store info'
    | 'store check'
    | 'store backup'
    | 'store restore'
    | 'store copy'
    | 'store merge'
    | 'store undo'
    | 'series rename'
    | 'series rm';
  readonly args: readonly string[];
  readonly store: string | undefined;
  readonly merge: boolean;
  readonly replace: boolean;
  /** Lists the imports that can be taken back. */
  readonly list: boolean;
  /** Writes a dated backup, and keeps as many. */
  readonly keep: number | undefined;
  readonly dryRun: boolean;
  /** Changes without asking. */
  readonly yes: boolean;
  readonly output: OutputFlags;
  readonly messages: MessageFlags;
};

/** `asof mcp`. */
export type McpLine = {
  readonly command: 'mcp';
  /** The day that bounds every answer. */
  readonly asOf: Day | undefined;
  readonly connection: ConnectionFlags;
  readonly messages: MessageFlags;
};

/** `asof explore`. */
export type ExploreLine = {
  readonly command: 'explore';
  readonly store: string | undefined;
  /** 0 takes any free port. */
  readonly port: number;
  /** Opens a browser, if the output is a terminal. */
  readonly open: boolean;
  readonly messages: MessageFlags;
};

/** `asof serve`. */
export type ServeLine = {
  readonly command: 'serve';
  /** The settings that were typed; variables, a file and defaults decide the others. */
  readonly typed: ServeTexts;
  /** The file of settings. */
  readonly config: string | undefined;
};

/** `asof keys create|list|rotate|revoke|usage`. */
export type KeysLine = { readonly access: string | undefined; readonly messages: MessageFlags } & (
  | {
      readonly command: 'keys create';
      readonly name: string;
      readonly plan: string;
      /** The last day on which the key is valid. */
      readonly expires: Day | undefined;
      readonly plans: string | undefined;
    }
  | { readonly command: 'keys list'; readonly output: OutputFlags }
  | { readonly command: 'keys usage'; readonly output: OutputFlags; readonly plans: string | undefined }
  /** `overlap` is how many days the old secret stays valid. */
  | { readonly command: 'keys rotate'; readonly id: string; readonly overlap: number }
  | { readonly command: 'keys revoke'; readonly id: string }
);

/** `asof auth login|status|logout`. */
export type AuthLine = {
  readonly command: 'auth login' | 'auth status' | 'auth logout';
  readonly baseUrl: string | undefined;
  /** The live source that the key is for, in the place of a service. */
  readonly source: string | undefined;
  /** Reads the key from stdin. */
  readonly withToken: boolean;
  readonly messages: MessageFlags;
};

/** `asof config get|set|unset|list|path`. */
export type ConfigLine =
  | { readonly command: 'config get' | 'config unset'; readonly name: string }
  | { readonly command: 'config set'; readonly name: string; readonly value: string }
  | { readonly command: 'config list' | 'config path' };

/** `asof completion`: the script of a shell, or the answer to what that script sends. */
export type CompletionLine = {
  readonly command: 'completion';
  readonly shell: 'bash' | 'zsh' | 'fish';
  readonly sent: readonly string[];
};

/** Help on a command or a topic, or on asof as a whole. */
export type HelpLine = {
  readonly command: 'help';
  readonly words: readonly string[];
  /** Whether a family was typed without its second word, so that help is the error message. */
  readonly isMistake: boolean;
};

/** `asof --version`. */
export type VersionLine = { readonly command: 'version' };

/** What a command line asks for, as plain data. */
export type ParsedLine =
  | QueryLine
  | SnapshotLine
  | VerifyLine
  | FactsLine
  | ImportLine
  | ImportLogLine
  | PullLine
  | SourcesLine
  | UnfollowLine
  | StoreInitLine
  | StoreLine
  | McpLine
  | ExploreLine
  | ServeLine
  | KeysLine
  | AuthLine
  | ConfigLine
  | CompletionLine
  | HelpLine
  | VersionLine;
