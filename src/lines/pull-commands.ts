import { Problem, refused } from '../errors/problem.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import { type CommandSpec, connectionIn, messagesIn, outputIn } from './command.ts';
import { sharedFlags } from './shared-flags.ts';

const { store, remote, messages, format, output } = sharedFlags;

/** The live sources, as `asof pull` names them. */
const sources = ['fred', 'treasury', 'sec'] as const;

const sourceArg = { name: 'source', about: sources.join(', '), choices: sources };

const pull: CommandSpec = {
  words: 'pull',
  heading: 'Files',
  summary: 'Bring your store up to date from FRED, the Treasury and the SEC',
  about: `Your store follows what you name from now on; without names, pull brings everything that it
follows up to date. Each run continues where the last one stopped.

  asof pull fred GDP UNRATE      every vintage of two series
  asof pull treasury             par and real curves since 1990
  asof pull sec --ticker MAIA    the insider filings of a company
  asof pull                      everything that the store follows

FRED needs a key: FRED_API_KEY, ASOF_FRED_API_KEY_FILE or asof auth login --source fred.
The SEC needs your name and mail address: ASOF_SEC_CONTACT or asof config set sec_contact.`,
  args: [
    { ...sourceArg, optional: true },
    { name: 'names', about: 'what to follow, such as ids of series of FRED', optional: true, several: true },
  ],
  flags: [
    { name: 'search', value: 'text', about: 'list the series of FRED that match, and store nothing' },
    { name: 'release', value: 'n', about: 'follow every series of a release of FRED', repeatable: true },
    { name: 'ticker', value: 'symbol', about: 'follow the filings of a company', repeatable: true },
    { name: 'cik', value: 'n', about: 'follow the filings of a company or a person', repeatable: true },
    { name: 'daily', about: 'follow the insider filings of everyone, day by day' },
    { name: 'list', about: 'list what the store follows, and store nothing' },
    { name: 'since', value: 'date', about: 'begin new histories on this day' },
    { name: 'full', about: 'ask for whole histories again, and compare them with the store' },
    { name: 'dry-run', about: 'print the requests that it would make, and make none' },
    { name: 'max-duration', value: 'time', about: 'stop after this time, such as 90s, 10m or 2h' },
    ...format,
    ...output.filter(({ name }) => name === 'columns' || name === 'no-header'),
    store,
    ...remote.filter(({ name }) => name !== 'base-url'),
    ...messages,
  ],
  read: (line) => ({
    command: 'pull',
    request: requestIn(line),
    list: line.has('list'),
    search: line.text('search'),
    full: line.has('full'),
    since: line.day('since', 'first'),
    dryRun: line.has('dry-run'),
    maxDuration: line.value('max-duration', duration),
    output: outputIn(line),
    connection: connectionIn(line),
    messages: messagesIn(line),
  }),
};

/** The source that each flag belongs to, and the text that it stands for. */
const flagSources = { search: 'fred', release: 'fred', ticker: 'sec', cik: 'sec', daily: 'sec' } as const;

function requestIn(line: TypedLine): Readonly<Record<string, readonly string[]>> | undefined {
  const [source, ...names] = line.args;
  if (source !== undefined && !sources.some((known) => known === source))
    throw new Problem('bad-input', `unknown source '${source}': use fred, treasury or sec`, {
      hints: [`asof pull fred ${source} pulls a series of FRED`],
    });
  for (const [flag, own] of Object.entries(flagSources))
    if (line.has(flag) && source !== own)
      throw new Problem('bad-input', `--${flag} belongs to ${own}: asof pull ${own} --${flag} …`);
  if (source === undefined) return undefined;
  const flagged = (['release', 'ticker', 'cik'] as const).flatMap((flag) =>
    line.texts(flag).map((text) => `${flag} ${text.trim()}`),
  );
  return { [source]: [...names, ...flagged, ...(line.has('daily') ? ['daily'] : [])] };
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, '': 1 };

function duration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(s|m|h)?$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? Number.NaN);
  if (seconds > 0) return seconds;
  throw refused({ reason: 'use a time such as 90s, 10m or 2h' });
}

const unfollow: CommandSpec = {
  words: 'unfollow',
  heading: 'Files',
  summary: 'Stop following a live source; the facts stay in the store',
  args: [sourceArg, { name: 'names', about: 'names as asof pull --list shows them', several: true }],
  flags: [store, ...messages],
  read: (line) => ({
    command: 'unfollow',
    source: line.arg(0),
    names: line.args.slice(1),
    store: line.text('store'),
    messages: messagesIn(line),
  }),
};

/** The commands about live sources. */
export const pullCommands: readonly CommandSpec[] = [pull, unfollow];
