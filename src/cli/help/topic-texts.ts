import type { Topic } from '../options/service-commands.ts';
import { exitCode } from '../terminal/exit-code.ts';

const asOf = `Point in time

asof stores statements: on day t, the value of a series for a date was v, or was
withdrawn. As of a day D, the answer for a date is the latest statement made on or
before D. Nothing that was published after D has any part in it.

  --as-of D          what was known at the end of D
  --known-before D   what could be known at the start of D: strictly before D
  --first-release    each date's first published value; dates that were published
                     before a series' first vintage have none
  --as-of-each R     of a panel: the latest values known on each month-end, week-end
                     (the Sunday that ends an ISO week) or day, from --from to --to

A date is written YYYY-MM-DD, or today: the day in UTC, which -v shows. \`asof diff\` names
its two days as arguments; \`--known-before\` makes both strict.

as_of_date is the day on which the value shown was first published: the start of the
unbroken run of equal values that D falls into.

Days are calendar days: asof does not know the hour of a release. Before the first
vintage of a series nothing is known, and the answer is empty. After the last day that
the store speaks for, asof answers with what it has and says so on stderr:
\`asof series show ID --columns id,first_vintage,covered_to\` shows both days.

Vintages of sampled data sets (the Real-Time Data Set takes one a month or a quarter)
are what was known on the day of the sample: the first release in them is the first
one recorded.

Treasury curves are never revised and have no as-of day. Insider filings are known from
their filing date.
`;

const environment = `Environment

  ASOF_STORE         the embedded store; --store goes before it. Without either:
                     asof/asof.db in the user's data directory (XDG_DATA_HOME or
                     ~/.local/share), and where that does not exist the sample that is
                     shipped with asof
  ASOF_ACCESS        the keys and usage of \`asof serve\`; --access goes before it. Without
                     either: asof/access.db in the user's data directory
  ASOF_BASE_URL      the service to ask instead of a store; --base-url goes before it,
                     and so does a store named by --store
  ASOF_API_KEY       the key to send to that service
  ASOF_API_KEY_FILE  a file that holds the key; without either, the one that
                     \`asof auth login\` stored for the origin of the service
  ASOF_TIMEOUT       seconds that one try of a request may take; --timeout goes before it
  ASOF_FORMAT        the output format; --format, --csv, --json and the extension of -o
                     go before it
  ASOF_CONFIG_DIR    where settings and keys are kept (\`asof config path\`); without it:
                     asof in XDG_CONFIG_HOME or ~/.config
  HOME               what ~ stands for above, where it is not the home of the account
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY
                     proxies to ask services through; in lower case too, which goes first
  COLUMNS            the width of \`--plot\` where there is no terminal (80)
  NO_COLOR           no colours; FORCE_COLOR colours also where there is no terminal, and
                     TERM=dumb is a terminal without colours

On macOS both directories lie in ~/Library (Application Support, Preferences), on Windows
in LOCALAPPDATA and APPDATA.

A flag goes before a variable, a variable before a setting (\`asof config\`), a setting
before the default. An empty variable is unset. No variable and no setting changes an
as-of day.
`;

const exitCodes: readonly (readonly [number, string])[] = [
  [exitCode.success, 'success; also an empty result, and a reader that closed the pipe'],
  [exitCode.differences, 'differences (diff --exit-code, verify)'],
  [exitCode.usage, 'usage, a bad value, a file that cannot be imported'],
  [exitCode.notFound, 'not found'],
  [exitCode.unauthorized, 'no key, or a bad one'],
  [exitCode.forbidden, 'the plan does not allow it'],
  [exitCode.quota, 'the quota is used up'],
  [exitCode.unreachable, 'cannot reach the service: name, connection, TLS, time'],
  [exitCode.serviceFailed, 'the service failed, or answered outside the contract'],
  [exitCode.empty, 'no rows, with --fail-empty'],
  [exitCode.localIo, 'cannot read or write a local file, store or setting'],
  [exitCode.bug, 'a bug in asof'],
  [exitCode.interrupted, 'interrupted (Ctrl-C)'],
  [exitCode.terminated, 'terminated'],
];

function exitCodesText(): string {
  const lines = exitCodes.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `Exit codes\n\n${lines.join('\n')}\n\nWith several series ids all are tried; the first failure decides.\n`;
}

async function formatsText(): Promise<string> {
  const { formats } = await import('../../import/formats/recognise.ts');
  const width = Math.max(...formats.map(({ kind }) => kind.length));
  const lines = formats.map(({ kind, summary }) => `  ${kind.padEnd(width)}  ${summary}`);
  return `Formats

asof import recognises files by their content; --kind says it where that fails:

${lines.join('\n')}

Files may be gzip-compressed or lie in zip archives; a folder is imported like its
files. One import is one transaction: it is done completely or not at all.

Output (-f, --csv, --json, or the extension of -o):

  table     for people, on a terminal; cut to its width
  csv       RFC 4180, UTF-8, LF, always a header, exact digits, missing is empty
  tsv       tabs between; a tab, line break or backslash in a text is \\t, \\n, \\r, \\\\
  json      the service's envelope; several pages are one envelope with all results
  ndjson    one result a line
  parquet   for DuckDB, pandas, Spark: days are DATE, numbers exact DECIMAL with as many
            decimals as the longest (18 digits, or 38 where one needs it; more: use csv),
            integers BIGINT, lists of VARCHAR, missing is NULL; never to a terminal
  markdown  (.md) a table of GitHub-flavoured Markdown, the cells of csv escaped so that
            they are text; a line break is <br>; such a table needs its header
  svg       a chart, of observations, revisions, spread and curve; --plot draws the same
            as text, as wide as the terminal
`;
}

/** The texts of the topics, each ending in a line break. */
export const topicTexts: Readonly<Record<Topic, () => Promise<string>>> = {
  'as-of': async () => asOf,
  formats: formatsText,
  environment: async () => environment,
  'exit-codes': async () => exitCodesText(),
};
