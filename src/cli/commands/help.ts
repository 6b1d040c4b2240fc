import { type Command, Help, type Option } from 'commander';
import { closest } from '../../domain/search/words.ts';
import { formulas, transformationChoices } from '../../domain/series/transformation.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import {
  type AnyCommand,
  chartFlags,
  connection,
  type HelpLine,
  messages,
  output,
} from '../../lines/command.ts';
import { firstWordOf, programOf } from '../../lines/read-line.ts';
import type { Flag, FlagGroup } from '../../operations/typed-line.ts';
import { print } from '../../platform/sink.ts';
import { packed } from '../../render/printable.ts';
import { exitCode, exits, type Io } from '../terminal/io.ts';
import { command, type LoadCommands } from './command.ts';

const examples: Readonly<Record<string, string>> = {
  '': `
# GDP as it was known on 30 January 2015
asof observations GDP --as-of 2015-01-30
# inflation and growth as known then, in percent (asof help units)
asof panel CPIAUCSL:yoy GDPC1:saar --as-of 2009-01-30 --from 2008-01-01 --wide
# how one number was revised
asof revisions GDP --date 2008-10-01 --plot
# for a backtest: the newest values known at each month-end
asof panel GDP PAYEMS --as-of-each month-end --from 2014-01-01 --to 2014-12-31
`,
  store: `
# what the store holds
asof store info
# check it for damage
asof store check
# back it up while it is in use
asof store backup backup.db
# into PostgreSQL (needs a database)
asof store copy mine.db postgres://importer@db.example.org/markets
`,
};

const asOf = `Point in time

asof stores statements: on day t, the value of a series for a date was v, or was
withdrawn. As of a date D, the answer for a date is the latest statement made on or
before D. Anything published after D has no effect.

  --as-of D          what was known at the end of D
  --known-before D   what was known at the start of D: published strictly before D
  --known-at T       what was known at a time, such as 2009-01-30T08:29-05:00
  --first-release    the first published value of each date; dates that were published
                     before a series' first vintage have no first release
  --as-of-each P     in a panel: the newest values known on each month-end, week-end
                     (the Sunday that ends an ISO week) or day, from --from to --to

A date is YYYY-MM-DD, today, yesterday, or a distance before today in UTC, such as
-30d, -2w, -6m or -1y. A month 2008-09, a quarter 2008Q3 or a year 2008 is its first
day in --from and its last day in --to. asof prints that day (in scripts only with -v).

\`asof diff\` takes two as-of dates as arguments; \`--known-before\` compares what was known
at the start of each.

as_of_date is the vintage in which the value first appeared. If the vintage is exact,
as_of_date is the day of publication; if the vintage is sampled or fetched, the value was
published on that day or earlier. \`asof series show ID --columns id,vintage_kind\` shows how
the vintages of a series came about.

As-of dates are whole days. --known-at counts a release from its minute where a calendar in
the store gives it (\`asof pull calendar\`), and otherwise from the end of its day. Before the
first vintage of a series the answer is empty. After the last day that the store covers, asof
answers with what it has and prints a note on stderr:
\`asof series show ID --columns id,first_vintage,covered_to\` shows both days.

A sampled data set (such as the Real-Time Data Set, with one vintage a month or a
quarter) records what was known on some days: the first release is the first recorded
value. A note on stderr marks answers from samples. --exact refuses such answers, and
--max-age DAYS refuses data that end more than DAYS before the requested day; both exit
with 9. A panel with --as-of-each leaves cells empty after a series ends, except with
--beyond repeat.

Treasury curves are never revised and have no as-of date. Insider filings are known from
their filing date.
`;

const environment = `Environment

  ASOF_STORE         store: a file, postgres://…, or sample. Default: asof/asof.db in the
                     user's data directory (XDG_DATA_HOME or ~/.local/share), or the
                     shipped sample if that does not exist. --store takes precedence
  ASOF_ACCESS        keys and usage of \`asof serve\`: a file, or postgres://…. Default:
                     asof/access.db in the user's data directory. --access takes
                     precedence
  ASOF_HOST, ASOF_PORT, ASOF_PUBLIC_URL, ASOF_BILLING_URL, ASOF_CORS_ORIGIN,
  ASOF_EXPLORER, ASOF_PLANS, ASOF_METRICS_PORT, ASOF_METRICS_KEY,
  ASOF_LOG_LEVEL, ASOF_MAX_SECONDS, ASOF_DRAIN, ASOF_CONFIG
                     same as the flags of \`asof serve\`
  ASOF_BASE_URL      service to ask instead of a store. --base-url and --store take
                     precedence
  ASOF_API_KEY       key for that service
  ASOF_API_KEY_FILE  file with the key. Default: the key that \`asof auth login\` stored
                     for the origin of the service
  FRED_API_KEY       key for FRED, which \`asof pull fred\` sends; ASOF_FRED_API_KEY_FILE names
                     a file with it. Default: the key that \`asof auth login --source fred\`
                     stored
  ASOF_SEC_CONTACT   your name and mail address, for the SEC (or the setting sec_contact)
  ASOF_FRED_URL, ASOF_FRED_MD_URL, ASOF_FRED_QD_URL, ASOF_RTDSM_URL,
  ASOF_ECB_URL, ASOF_EUROSTAT_URL, ASOF_OECD_URL, ASOF_TREASURY_URL,
  ASOF_SEC_URL, ASOF_CALENDAR_URL
                     base addresses of live sources, for mirrors and tests
  ASOF_TIMEOUT       time limit of each attempt, in seconds. --timeout takes
                     precedence
  ASOF_FORMAT        output format. --format, --csv, --json and the extension of -o take
                     precedence
  ASOF_CONFIG_DIR    folder of settings and keys (\`asof config path\`). Default: asof in
                     XDG_CONFIG_HOME or ~/.config
  HOME               home directory (default that of the account)
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY
                     proxies for services; the lower-case names take precedence
  PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE, PGOPTIONS, PGAPPNAME,
  PGSERVICE, PGSERVICEFILE, PGSYSCONFDIR, PGSSLMODE, PGSSLROOTCERT, PGSSLCERT,
  PGSSLKEY
                     parts missing in the address of a PostgreSQL store, as in
                     libpq; ~/.pgpass (PGPASSFILE) may contain the password
  ASOF_PAGER, PAGER  program that shows the rows of a query on a terminal, such as less
                     (with LESS=FRX unless LESS is set); cat for none
  COLUMNS            width of \`--plot\` without a terminal (default 80)
  NO_COLOR           disables colors, as does TERM=dumb; FORCE_COLOR enables colors
                     without a terminal

On macOS both directories are in ~/Library (Application Support, Preferences), on Windows
in LOCALAPPDATA and APPDATA.

Precedence: flag, variable, setting (\`asof config\`), default. An empty variable is unset.
No variable and no setting changes an as-of date.
`;

function exitCodesText(): string {
  const lines = Object.values(exits).map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `Exit codes\n\n${lines.join('\n')}\n\nIf one of several series is not found, nothing is printed; --skip-missing leaves it out.\n`;
}

async function formatsText(): Promise<string> {
  const { formats } = await import('../../import/formats/recognise.ts');
  const widest = Math.max(...formats.map(({ kind }) => kind.length));
  const lines = formats.map(({ kind, summary }) => `  ${kind.padEnd(widest)}  ${summary.join('')}`);
  return `Formats

asof import recognises files by their content; --kind names the format of others:

${lines.join('\n')}

Files may be gzip-compressed or in zip archives; a folder is imported with all its files. One
import is one transaction: all of it, or nothing.

Output (-f, --csv, --json, or the extension of -o):

  table     for people, on a terminal; cut to its width
  csv       RFC 4180, UTF-8, LF, always a header, exact digits, missing is empty
  tsv       tab-separated; a tab, line break or backslash in a text is \\t, \\n, \\r, \\\\
  json      the service's envelope; several pages are one envelope with all results
  ndjson    one result per line
  parquet   for DuckDB, pandas and Spark: days are DATE, integers BIGINT, lists VARCHAR[],
            missing values NULL. Numbers are exact, DECIMAL(38,18); one that does not fit
            is refused. Not for a terminal
  markdown  (.md) a GitHub-flavoured Markdown table: the cells of csv, with markup escaped
            and a line break as <br>; always with a header
  latex     (.tex) a table for LaTeX with booktabs: the cells of csv, with markup escaped
  xlsx      a workbook: numbers and dates as such, and a sheet of notes on sources, units
            and sampling. Not for a terminal
  svg       a chart of observations, panel, revisions, vintages, curve, yields or spread;
            --plot draws the same chart as text, as wide as the terminal
  png       the same chart as pixels. Not for a terminal
  pdf       the same chart as lines and text, for print. Not for a terminal
  ics       the releases of asof calendar as events of iCalendar, for calendar programs
`;
}

function unitsText(): string {
  const byMeaning = groupBy(transformationChoices.units, (name) => formulas[name].about);
  const rows = Array.from(byMeaning, ([about, names]) => [
    names.join(', '),
    about,
    formulas[names[0] ?? 'lin'].text,
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`);
  return `Units

--units computes growth within one vintage: both values of a change were known on the
same day. ID:UNITS gives a series its own, and --units is for the others:

  asof panel CPIAUCSL:yoy UNRATE GDPC1:saar --as-of 2009-01-30 --wide

${lines.join('\n')}

x is the value, b that of the period before, y that of a year before, and n the number of
periods in a year. mom is for monthly series, qoq for quarterly ones; the other names but
yoy and saar are FRED's. A change has the decimals of its values, any other result five;
--digits sets another number. --frequency averages values before units are computed.
`;
}

type FlagTopic = {
  readonly groups: readonly (FlagGroup | undefined)[];
  /** Flags without which a command does not share the topic. */
  readonly flags: readonly Flag[];
  readonly summary: string;
};

/** The topics on flags that commands share: help on a command that has them all names the topic instead. */
const flagTopics: Readonly<Record<string, FlagTopic>> = {
  output: {
    groups: ['Output', 'Messages'],
    flags: [...output.flags, ...messages.flags],
    summary: 'What a command with rows prints, where and how; a command refuses those that it has no use for',
  },
  charts: {
    groups: ['Charts'],
    flags: chartFlags,
    summary: 'How rows are drawn, with --plot or into a picture: -o chart.svg, -o chart.png',
  },
  connection: {
    groups: ['Connection'],
    flags: connection.flags,
    summary: 'Which store or service a command asks, and how long it waits',
  },
};

/** Returns the flags of a topic, each once, as the first command has it. */
async function flagsText({ groups, summary }: FlagTopic, load: LoadCommands, width: number): Promise<string> {
  const found = new Map<string, Flag>();
  for (const { flags } of await load())
    for (const flag of flags)
      if (groups.includes(flag.group) && !found.has(flag.name)) found.set(flag.name, flag);
  const read = () => ({ command: 'other' }) as const;
  const spec: AnyCommand = { words: 'COMMAND', summary, args: [], flags: [...found.values()], read };
  const [program] = programOf([spec], spec.words, () => undefined).commands;
  return helpText(program, ['Options'], width);
}

/** Formats help on a command, without the flags under some headings and the flag for help itself. */
function helpText(command: Command | undefined, hidden: readonly unknown[], width: number): string {
  const usual = new Help();
  const isShown = ({ helpGroupHeading: heading = 'Options:' }: Option) =>
    !hidden.includes(heading.slice(0, -1));
  // Arguments are the first of the options, which saves lines on a screen.
  let args: string[] = [];
  const listed = (heading: string, items: string[], helper: Help): string[] => {
    const before = args;
    args = heading === 'Arguments:' ? items : [];
    if (heading === 'Arguments:') return [];
    if (heading === 'Options:') return usual.formatItemList(heading, [...before, ...items], helper);
    const own = usual.formatItemList('Arguments:', before, helper);
    return [...own, ...usual.formatItemList(heading, items, helper)];
  };
  return (
    command
      ?.configureOutput({ getOutHelpWidth: () => width })
      .configureHelp({
        formatItemList: listed,
        visibleOptions: (one) => usual.visibleOptions(one).filter(isShown),
      })
      .helpInformation()
      .trimEnd() ?? ''
  );
}

/** Matches the start of a line whose text goes on below its second column, or below the text of a comment. */
const columnStart = /^ +(?:# |\S.*? {2,}(?=\S))/;

/** Breaks the lines of a text that are wider than a terminal, between words; a command to copy stays whole. */
function fitted(text: string, width: number): string {
  const blocks: { readonly start: string; readonly below: string; readonly lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const last = blocks.at(-1);
    const start = columnStart.exec(line)?.[0] ?? /^ */.exec(line)?.[0] ?? '';
    const isProse = line !== '' && start === '' && last?.start === '' && last.lines[0] !== '';
    const goesOn = line.startsWith(' ') && /^ +$/.test(start) && start === last?.below;
    if (isProse || goesOn) last?.lines.push(line);
    else {
      const below = start.endsWith('# ') ? start : ' '.repeat(start.length);
      blocks.push({ start, below, lines: [line] });
    }
  }
  return blocks
    .flatMap(({ start, below, lines }) => {
      const isWhole = /^ +$/.test(start) || lines.every((line) => line.length <= width);
      if (isWhole) return lines;
      const words = lines.map((line, i) => line.slice((i === 0 ? start : below).length)).join(' ');
      return packed([start + words.split(' ')[0], ...words.split(' ').slice(1)], width, below);
    })
    .join('\n');
}

/** Makes a text as wide as `width`. */
type TopicText = (load: LoadCommands, width: number) => Promise<string>;

const topicTexts: Readonly<Record<string, TopicText>> = {
  'as-of': async () => asOf,
  ...Object.fromEntries(
    Object.entries(flagTopics).map(([name, topic]): [string, TopicText] => [
      name,
      async (load, width) => `${await flagsText(topic, load, width)}\n`,
    ]),
  ),
  formats: formatsText,
  units: async () => unitsText(),
  environment: async () => environment,
  'exit-codes': async () => exitCodesText(),
};

const topics = Object.keys(topicTexts);

const showHelp = command({
  words: 'help',
  heading: 'Setup',
  summary: 'Show help on a command or a topic',
  examples: `
# the flags of a command
asof help observations
# what "as of" means
asof help as-of
# the exit codes that scripts can rely on
asof help exit-codes
`,
  args: [
    {
      name: 'words',
      about: `a command, or ${topics.join(', ')}`,
      choices: topics,
      optional: true,
      several: true,
    },
  ],
  parts: {},
  run: ({ args }, io, load) => runHelp({ words: args, isMistake: false }, io, load),
});

/** Words for topics that people look for by other names. */
const otherTopics: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['growth', ...transformationChoices.units].map((name) => [name, 'units'])),
  pager: 'output',
  plot: 'charts',
  variables: 'environment',
};

/** `asof help`. */
export const commands = [showHelp];

/** Prints help on a command or a topic; without a command, on stderr with the exit code of a usage error. */
export async function runHelp(
  { words, isMistake }: Omit<HelpLine, 'command'>,
  io: Io,
  load: LoadCommands,
): Promise<number> {
  const [first = ''] = words;
  const named = otherTopics[first] ?? first;
  const topic = words.length === 1 && Object.hasOwn(topicTexts, named) ? topicTexts[named] : undefined;
  const stream = isMistake ? io.stderr : io.stdout;
  const width = stream.columns || 100;
  const made = topic === undefined ? helpOn(words, await load(), width) : await topic(load, width);
  const text = stream.columns ? fitted(made, width) : made;
  if (topic !== undefined) {
    await print(text, io);
    return exitCode.success;
  }
  if (!isMistake) await print(text, io);
  else io.stderr.write(text);
  return isMistake ? exitCode.usage : exitCode.success;
}

function helpOn(words: readonly string[], specs: readonly AnyCommand[], width: number): string {
  let command = programOf(specs, words[0], () => undefined);
  const path: string[] = [];
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (next === undefined) {
      const meant = closest(word, [...command.commands.map((child) => child.name()), ...topics]);
      throw new Problem('bad-input', `there is no help on '${words.join(' ')}'`, {
        hints: [meant === undefined ? 'asof help lists the commands and topics' : `did you mean ${meant}?`],
      });
    }
    command = next;
    path.push(command.name());
  }
  const called = path.join(' ');
  const spec = specs.find((one) => one.words === called);
  const { about, flags = [] } = spec ?? {};
  const names = new Set(flags.map(({ name }) => name));
  const shared = Object.entries(flagTopics).filter(([, topic]) =>
    topic.flags.every(({ name }) => names.has(name)),
  );
  const examples = examplesOf(called, specs).map((line) => `  ${line}`);
  const folded = shared.flatMap(([, { groups }]) => groups);
  const elsewhere = shared.map(([name]) => `asof help ${name}`).join(', ');
  const parts = [
    helpText(command, folded, width) + (elsewhere === '' ? '' : `\nShared flags: ${elsewhere}`),
    ...(about === undefined ? [] : [about]),
    ...(called === '' ? [`Topics:\n  ${topics.join(', ')}`] : []),
    ['Examples:', ...examples].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Returns the lines of a command's examples; for a family the first example of each command. */
function examplesOf(called: string, specs: readonly AnyCommand[]): readonly string[] {
  const linesFor = (name: string) =>
    (specs.find(({ words }) => words === name)?.examples ?? examples[name] ?? '').trim().split('\n');
  if (called === '' || Object.hasOwn(examples, called)) return linesFor(called);
  const { isFamily = false, specs: members = [] } = firstWordOf(specs, called) ?? {};
  return isFamily ? members.flatMap(({ words }) => linesFor(words).slice(0, 2)) : linesFor(called);
}
