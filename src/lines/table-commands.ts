import { type Beyond, beyondChoices, type CheckedColumn } from '../analysis/query.ts';
import { refused } from '../errors/problem.ts';
import type { ArgumentSpec, Flag } from '../operations/flag.ts';
import { readFor, type TypedLine } from '../operations/typed-line.ts';
import type { CommandSpec } from './command.ts';
import { skippingIn, transformedIn } from './line-values.ts';
import { queryLine } from './operation-command.ts';
import { sharedFlags } from './shared-flags.ts';

const file: ArgumentSpec = {
  name: 'file',
  complete: 'files',
  about: 'CSV, TSV or Parquet file; - is standard input',
};

/** The flags of both commands. */
function composed(own: readonly Flag[]): readonly Flag[] {
  return [
    ...own,
    sharedFlags.dryRun,
    sharedFlags.all,
    ...sharedFlags.output,
    ...sharedFlags.demands,
    ...sharedFlags.connection,
    ...sharedFlags.messages,
  ];
}

const strict: Flag = { name: 'strict', about: 'use only what was published before the day of the row' };
const lag: Flag = { name: 'lag', value: 'n', about: 'skip the newest n observations' };

function beyond(about: string): Flag {
  return { name: 'beyond', value: 'choice', about, choices: beyondChoices, fallback: beyondChoices[0] };
}

/** What the flags of both commands say. */
function knownIn(line: TypedLine) {
  const count = line.integer('lag', 0, 1000);
  const chosen: Beyond = line.choice('beyond', beyondChoices) ?? beyondChoices[0];
  return {
    table: line.arg(0),
    strict: line.has('strict'),
    ...(count !== undefined && { lag: count }),
    beyond: chosen,
    ...skippingIn(line),
    ...transformedIn(line),
  };
}

const join: CommandSpec = {
  words: 'join',
  heading: 'Files',
  summary: 'Put beside each row of a file what was known on its day',
  about: `Writes the rows of FILE in their order, with a column for each series: its newest value that
was known on the day of the row. Into a file of the same kind (CSV, TSV) the cells of FILE are
copied byte by byte.`,
  args: [
    file,
    {
      name: 'id',
      complete: 'ids',
      about: 'series ids; one with * (quoted) means every series whose id matches',
      several: true,
    },
  ],
  flags: composed([
    { name: 'on', value: 'column', about: 'column of the days', required: true },
    strict,
    lag,
    { name: 'with-dates', about: 'the observation date of each value, in a column beside it' },
    {
      name: 'with-age',
      about: 'the number of days since the publication of each value, in a column beside it',
    },
    beyond('the cells of days after the coverage of a series'),
    sharedFlags.skipMissing,
    ...sharedFlags.units,
  ]),
  read(line) {
    const query = {
      kind: 'join',
      ...knownIn(line),
      on: line.text('on') ?? '',
      ids: line.args.slice(1),
      withDates: line.has('with-dates'),
      withAges: line.has('with-age'),
    } as const;
    return queryLine('join', query, line);
  },
};

const check: CommandSpec = {
  words: 'check',
  heading: 'Files',
  summary: 'Find the values of a file that were not known on the day of their row',
  about: `Compares each value with the one that was known on the day of its row, and lists those that
were not: the row, the value, what was known, and the first day on which the value was known.
Exits with code 1 if there are any. The columns are those with the name of a series. Beside a
column NAME, a column NAME_date says which period each value is of.`,
  args: [file],
  flags: composed([
    { name: 'on', value: 'column', about: 'column of the days (default the first)' },
    {
      name: 'column',
      value: 'name=id',
      about: 'column to check, and its series if that has another name',
      repeatable: true,
    },
    strict,
    lag,
    { name: 'all-rows', about: 'include the values that were known' },
    beyond('what values on days after the coverage of a series are compared with'),
    sharedFlags.skipMissing,
    ...sharedFlags.units,
  ]),
  read(line) {
    const columns = line.texts('column').map((text) => readFor('--column', text, checkedColumn));
    const on = line.text('on');
    const query = {
      kind: 'check',
      ...knownIn(line),
      ...(on !== undefined && { on }),
      ...(columns.length > 0 && { columns }),
      allRows: line.has('all-rows'),
    } as const;
    return { ...queryLine('check', query, line), exitCode: true };
  },
};

function checkedColumn(text: string): CheckedColumn {
  const at = text.lastIndexOf('=');
  const [column, id] = at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
  if (column === '' || id === '') throw refused({ reason: 'use NAME, or NAME=ID' });
  return { column: column ?? '', ...(id !== undefined && { id }) };
}

/** The commands about what was known on the days of a file. */
export const tableCommands: readonly CommandSpec[] = [join, check];
