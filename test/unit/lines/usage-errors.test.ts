import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { wordsOf } from '../../../src/snapshot/plan.ts';
import { parse } from '../../support/command.ts';

const now = new Date('2026-03-15T12:00:00Z');

/** The message about a line that cannot be parsed, then its hints. */
function refusal(words: readonly string[]): string {
  try {
    return JSON.stringify(parse(words, { now }));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect([error.kind, error.requestId]).toEqual(['bad-input', undefined]);
    return [error.detail, ...error.hints].join('\n');
  }
}

const days = 'YYYY-MM-DD, today, yesterday, or a distance such as -30d or -5y';
const periods = days.replace(',', ', a month 2014-10, a quarter 2014Q4, a year 2014,');
const wrongId =
  'not a series id: use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit';
const future = 'is in the future: nothing is known as of that date yet';
const once = '\nleave one of them out';
const aboutDays = 'is only for panels of as-of dates: use --as-of-each or --as-of-file';
const oneDay = 'use one day, YYYY-MM-DD, such as its first';
const aboutCharts = 'is only for charts: use --plot, or a file such as -o chart.svg';
const continues = 'a cursor continues published rows';
const needsMore = 'and release_1 is one\nname more, such as 1 and final';
const triangle = '--wide is the triangle of all vintages: use it alone';
const leaveOut = 'leave out --as-of, --known-before and --known-at';
const charts =
  'charts: observations, panel, vintages, curve, yields, spread, and revisions with --date, --release or --after';
const noChart = (remedy: string) => `this query has no chart: ${remedy}\n${charts}`;
const noSvg = noChart('choose another format than svg');
const chartFile = '\n-o chart.svg draws into a file';
const formats = 'table, csv, tsv, json, ndjson, parquet, markdown, latex, xlsx, svg, png, pdf, ics';

describe('a usage error names the flag and what was typed, before anything is asked', () => {
  it.each<readonly [line: string, said: string]>([
    ['pnig', "unknown command 'pnig'\ndid you mean ping?"],
    ['series serch GDP', "unknown command 'serch'\ndid you mean search?"],
    ['ping --jsn', "unknown option '--jsn'\ndid you mean --json?"],
    ['ping more', "unexpected argument more for 'asof ping'\nasof ping --help lists its flags"],
    [
      'GDP',
      "unknown command 'GDP'\nfor the values of a series: asof observations GDP\nasof help lists the commands",
    ],
    [
      'chart CPIAUCSL UNRATE',
      "unknown command 'chart'\nasof observations CPIAUCSL UNRATE --plot draws CPIAUCSL UNRATE\nasof help lists the commands",
    ],
    [
      'plot --log',
      "unknown command 'plot'\nasof observations ID --plot draws a series\nasof help lists the commands",
    ],
    ['list', "unknown command 'list'\nasof series search lists the series\nasof help lists the commands"],
    [
      'search inflation',
      "unknown command 'search'\nasof series search inflation lists what it finds\nasof help lists the commands",
    ],
    ['get GDP', "unknown command 'get'\nasof observations GDP shows values\nasof help lists the commands"],
    ...['export', 'download'].map((word): [string, string] => [
      `${word} GDP`,
      `unknown command '${word}'\nasof observations GDP -o FILE.csv writes values; the endings .xlsx, .parquet and .json do too\nasof facts GDP -o FILE.csv writes every value that was ever published\nasof pull fred GDP downloads from FRED into your store\nasof help lists the commands`,
    ]),
    [
      'series show GDP UNRATE',
      "unexpected argument UNRATE for 'asof series show'\nasof series show --help lists its flags",
    ],
    ['yields 10Y', "unexpected argument 10Y for 'asof yields'\ndid you mean asof yields --maturity 10Y?"],
    [
      'spread 10y 2Y 2020-01-01',
      "unexpected argument 10y for 'asof spread'\ndid you mean asof spread --long 10y --short 2Y --from 2020-01-01?",
    ],
    [
      'curve 2024-03-28',
      "unexpected argument 2024-03-28 for 'asof curve'\ndid you mean asof curve --date 2024-03-28?",
    ],
    // Q is also a value of --frequency.
    ...['Q', 'GDP'].map((id): [string, string] => [
      `check t.csv --on day ${id}`,
      `unexpected argument ${id} for 'asof check'\nthe columns of the table name the series; --column NAME=ID gives the series of one with another name`,
    ]),
    ['yields 10Y 5Y', "unexpected argument 10Y for 'asof yields'\nasof yields --help lists its flags"],
    ['obs GDP 2015-01-30', '2015-01-30 is a date, not the id of a series\ndid you mean --as-of 2015-01-30?'],
    ['auth list', "unknown command 'list'\nuse asof auth login, asof auth status, asof auth logout"],
    ['--store x.db obs GDP', "unknown option '--store'\nput it after the command: asof obs … --store PATH"],
    [
      '--base-url=https://host series show GDP',
      "unknown option '--base-url'\nput it after the command: asof series … --base-url URL",
    ],
    ['obs GDP --stor=postgres://me:secret=@host/db', "unknown option '--stor'"],
    ['-q obs GDP', "unknown option '-q'\nput it after the command: asof obs … --quiet"],
    ['--nothing obs GDP', "unknown option '--nothing'"],
    ['--store obs', "unknown option '--store'\nput it after the command: asof obs … --store PATH"],
    ['curve --lag 1', "unknown option '--lag'\ndid you mean --log?"],
    ['obs GDP --nothing', "unknown option '--nothing'"],
    ['obs', "missing required argument 'id'\nusage: asof observations <id...>"],
    ['diff GDP 2009-07-30', "missing required argument 'date2'\nusage: asof diff <id...> <date1> <date2>"],
    ['obs GDP --as-of', "option '--as-of <date>' argument missing"],
    ['snapshot plan.txt', "required option '--out <dir>' not specified"],
    ['obs GDP --as-of 2008-9-16', `--as-of "2008-9-16": use ${days}`],
    ['obs GDP --as-of 2015-02-30', '--as-of "2015-02-30": there is no such date'],
    ['obs GDP --from 1599-12-31', '--from "1599-12-31": use a date from 1600-01-01 to 2999-12-31'],
    ['obs GDP --as-of 2008-02', `--as-of "2008-02": ${oneDay} 2008-02-01 or its last 2008-02-29`],
    ['diff GDP 2008Q3 2009-01-01', `first date "2008Q3": ${oneDay} 2008-07-01 or its last 2008-09-30`],
    ['obs GDP --from 2008-13', `--from "2008-13": use ${periods}`],
    ['obs GDP --from -9999y', `--from "-9999y": use ${periods}`],
    ['obs GDP --as-of 2026-03-17', `--as-of 2026-03-17 ${future}`],
    ['obs GDP --known-before soon', `--known-before "soon": use ${periods}`],
    ['obs GDP --known-before 2026-03-18', `--known-before 2026-03-18 ${future}`],
    ['obs GDP --as-of 2015-01-30 --known-before 2015-01-30', 'use either --as-of or --known-before'],
    ['obs GDP --from 2015-01-02 --to 2015-01-01', '--from 2015-01-02 is after --to 2015-01-01'],
    ['obs GDP --limit 0', '--limit "0": use an integer of at least 1'],
    ['obs GDP --all --limit 3', 'use either --all or --limit'],
    ['obs GDP --limit 3 --first 3', 'use either --limit or --first'],
    [
      'vintages GDP --from 2020-01-01 --as-of 2019-01-01',
      '--from 2020-01-01 is later than 2019-01-01, the as-of date',
    ],
    ['yields --first 3 --cursor abc', 'use either --first or --cursor'],
    ['yields --wide --first 3 --limit 3', 'use either --limit or --first'],
    ['series search --first 3', "unknown option '--first'\ndid you mean --format?"],
    ['obs GDP UNRATE --cursor mine', '--cursor continues one series: name one id'],
    ['obs GDP --sort up', '--sort "up": use desc or asc'],
    [
      'obs GDP --as-of 2014-12-31 --as-of 2015-01-30',
      `--as-of is given twice: 2014-12-31 and 2015-01-30${once}`,
    ],
    ['insider filings --owner "a b" --owner ""', `--owner is given twice: "a b" and ""${once}`],
    ['obs GDP -f csv -ftsv', `--format is given twice: csv and tsv${once}`],
    ['obs GDP -f cvs', `--format "cvs": use ${formats}\ndid you mean csv?`],
    ['obs GDP --csv -f tsv', 'use one format: tsv or csv'],
    ['obs GDP -o ""', '--output "": use the name of a file, or - for stdout'],
    [
      'obs GDP -o x.docx',
      `asof writes no .docx files: the formats are ${formats}\n--format sets the format of a file with any name`,
    ],
    [
      'obs GDP --columns date,valu',
      "unknown column 'valu': the columns are date, value, as_of_date, series_id, unit, frequency, source\ndid you mean value?",
    ],
    ['obs GDP --columns date,date', "column 'date' is named twice"],
    ['obs GDP -f markdown --no-header', 'a markdown table needs its header: leave out --no-header'],
    ['obs GDP --plot --csv', `use either --plot or csv${chartFile}`],
    [
      'obs GDP --plot --columns date --no-header',
      'a chart has no columns: leave out --columns and --no-header',
    ],
    ['diff GDP 2015-01-30 2015-02-27 -o x.svg', noSvg],
    [
      'revisions GDP --date 2008-10-01 --columns dayz',
      "unknown column 'dayz': the columns are date, value, as_of_date, series_id, unit, frequency, source, vintage_kind, change, percent, days\ndid you mean days?",
    ],
    ['observations GDP --max-age week', '--max-age "week": use an integer of at least 0'],
    ['panel GDP --as-of 2015-01-30 --beyond repeat', `--beyond ${aboutDays}`],
    ['panel GDP --wide --with-dates', `--with-dates ${aboutDays}`],
    [
      'panel GDP --as-of-each day --from 2015-01-01 --to 2015-01-31 --with-dates',
      '--with-dates needs --wide: a long panel has the dates',
    ],
    [
      'panel GDP gdp_date --as-of-each day --from 2015-01-01 --to 2015-01-31 --wide --with-dates --columns x',
      "unknown column 'x': the columns are as_of, GDP, GDP_date, gdp_date, gdp_date_date",
    ],
    [
      'panel GDP GDP_date --as-of-each day --from 2015-01-01 --to 2015-01-31 --wide --with-dates',
      'two columns have the name GDP_date\nleave out the dates, or type the id of the series in another letter case',
    ],
    [
      'panel GDP --wide --columns date,UNRATE',
      "unknown column 'UNRATE': the columns are date, GDP\ndid you mean date?",
    ],
    ['panel GDP --last 2', `--last ${aboutDays}`],
    ['panel GDP --known-before-each', `--known-before-each ${aboutDays}`],
    ['panel GDP --as-of-each day --as-of-file x.csv', 'use either --as-of-each or --as-of-file'],
    ['panel GDP --as-of-file x.csv --as-of 2020-01-01', 'use either --as-of or --as-of-file'],
    [
      'obs GDP --units percent',
      '--units "percent": use yoy or pc1 (percent growth from a year ago), or one of mom, qoq, saar, lin, chg, ch1, pch, pca, cch, cca, log',
    ],
    [
      'obs GDP --units annual',
      '--units "annual": use saar or pca (percent growth at an annual rate), or one of yoy, mom, qoq, lin, chg, ch1, pch, pc1, cch, cca, log',
    ],
    [
      'obs GDP --units qqo',
      '--units "qqo": use qoq (percent growth from the quarter before), or one of yoy, mom, saar, lin, chg, ch1, pch, pc1, pca, cch, cca, log',
    ],
    [
      'obs GDP --units euros',
      '--units "euros": use yoy, mom, qoq, saar, lin, chg, ch1, pch, pc1, pca, cch, cca, log',
    ],
    ['obs GDP --units pch --digits 21', '--digits "21": use an integer from 0 to 20'],
    ['obs GDP --digits 2', '--digits needs --units or --frequency: published values keep their digits'],
    ['obs GDP --aggregate sum', '--aggregate needs --frequency'],
    ['obs GDP --partial', '--partial needs --frequency'],
    ['obs GDP --frequency d', '--frequency "d": use w, m, q, sa or a'],
    ['obs GDP --units pch --cursor x', `use either --cursor or --units and --frequency: ${continues}`],
    ['revisions GDP --release 1 --stats', `statistics of revisions need two releases, ${needsMore}`],
    ['revisions GDP --release 1,1', 'release_1 is named twice'],
    ['revisions GDP --wide --stats', triangle],
    [
      'revisions GDP --date 2008Q4 --stats',
      'a table of revisions takes no --date: use --from, --to and --limit',
    ],
    ['revisions GDP --date 2008Q4 --from 2008', 'use either --date or --from and --to'],
    ['revisions GDP --units pch', '--units needs --release, --after, --wide, --stats or --summary'],
    ['revisions GDP --summary', '--summary is of one date: add --date'],
    ['revisions GDP --date 2008Q4 --summary --stats', 'use either --summary or --stats'],
    ['revisions GDP --date 2008Q4 --summary --limit 3', 'use either --summary or --limit'],
    ['revisions GDP --date 2008Q4 --summary --plot', noChart('leave out --plot')],
    ['revisions GDP --plot', noChart('leave out --plot')],
    ['revisions GDP --stats -f svg', noSvg],
    ['obs GDP --vs 2009-01-30,2010-01-30', '--vs takes one date, and these are 2\n--vintages takes several'],
    ['obs GDP --vintages 2009-01-30,2009-01-30', '--vintages names 2009-01-30 twice'],
    ['obs GDP --vintages 2009-01-30 --as-of 2010-01-30', `--vintages names the as-of dates: ${leaveOut}`],
    ['obs GDP --vintages 2009-01-30 --vs latest', 'use either --vs or --vintages'],
    ['obs GDP --all-rows', '--all-rows is for --vs and --vintages'],
    ['obs GDP --vs latest', '--vs latest would compare the latest values with themselves: add --as-of'],
    ['obs GDP --as-of 2009-01-30 --vs 2009-01-30', '--vs 2009-01-30 is the as-of date itself'],
    ['obs GDP --vs latest --first-release', '--first-release does not go with --vs'],
    ['obs GDP --vs latest --cursor abc', '--cursor does not go with --vs'],
    ['diff GDP 2009-01-30 latest --known-before', `second date "latest": use ${days}`],
    ['obs GDP --recessions', `--recessions ${aboutCharts}`],
    ['ping --timeout 0', '--timeout "0": use seconds, at most 86400'],
    ['ping --retries -1', '--retries "-1": use an integer from 0 to 100'],
    [
      'ping --store a.db --base-url http://x',
      'use either --base-url (a service) or --store (a file or a database)',
    ],
    ['curve --type nominal', '--type "nominal": use PAR or TIPS'],
    ['spread --long 9Y', '--long "9Y": use 1M, 1.5M, 2M, 3M, 4M, 6M, 1Y, 2Y, 3Y, 5Y, 7Y, 10Y, 20Y or 30Y'],
    ['spread --type tips --short 2Y', '--short "2Y": TIPS has 5Y, 7Y, 10Y, 20Y, 30Y'],
    ['yields --wide --cursor x', '--cursor does not go with --wide'],
    ['insider filings --days 0', '--days "0": use an integer from 1 to 365'],
    ['insider filings --days 3 --from 2015-01-01', 'use either --days or --from'],
    ['insider filings --owner " "', '--owner " ": it is blank; leave it out for all'],
    ['insider clusters --min-value 0', '--min-value "0": use an integer from 1 to 999999999999999'],
    ['insider clusters --explain --signals', 'use either --explain or --signals'],
    [
      'diff GDP 2014-01-01 2015-01-01 2015-01-02',
      'diff compares two dates, and these are 3: 2014-01-01, 2015-01-01, 2015-01-02',
    ],
    ['diff GDP UNRATE 2015-01-02', `first date "UNRATE": use ${days}`],
    ['diff GDP 2015-01-01 2027-01-01', `second date 2027-01-01 ${future}`],
    [
      'panel GDP --as-of-each year',
      '--as-of-each "year": use day, business-day, friday, week-end, month-end, quarter-end or year-end',
    ],
    [
      'panel GDP --as-of-each month-end --from 2015-01-01',
      '--as-of-each needs --from and --to: the first and the last as-of date',
    ],
    [
      'panel GDP --as-of-each month-end --from 2014-01-02 --to 2014-01-03',
      'there is no month-end from 2014-01-02 to 2014-01-03',
    ],
    ['panel GDP --as-of-each day --from 2026-03-15 --to 2026-03-18', `--to 2026-03-18 ${future}`],
    [
      'panel GDP --as-of-each day --from 2014-01-01 --to 2014-01-02 --as-of 2015-01-01',
      'use either --as-of or --as-of-each',
    ],
    ['import', 'nothing to import: name files or folders'],
    ['import --log x.csv', '--log lists past imports and takes no files'],
    ['import x.csv --as-of soon', `--as-of "soon": use ${days}`],
    ['import x.csv --id GDP', '--id "GDP": use OLD=NEW'],
    ['import x.csv --id "GDP=a,b"', `--id "GDP=a,b": ${wrongId}`],
    ['import x.csv --series a,b', `--series "a,b": ${wrongId}`],
    ['facts GDP -o gdp.parquet', '--output "gdp.parquet": facts writes only CSV\nuse -o FILE.csv'],
    ['store backup b.db --keep 0', '--keep "0": use an integer of at least 1'],
    ['ping --timeout 1e3', '--timeout "1e3": use seconds, at most 86400'],
    [
      'serve --cors-origin https://a.example/path',
      '--cors-origin "https://a.example/path": use origins such as https://app.example.com, or *',
    ],
    ['serve --max-seconds 0', '--max-seconds "0": use an integer from 1 to 86400'],
    ['serve --log-level loud', '--log-level "loud": use info, warn or error'],
    ['serve -q --log-level info', 'use either --quiet or --log-level'],
    ['keys create --name a --expires 2026-03-14', '--expires "2026-03-14": this date is over'],
    [
      'keys create --name a --expires soon',
      '--expires "soon": use YYYY-MM-DD, or a number of days such as 90d',
    ],
    [`series search "${'gdp '.repeat(33)}"`, 'the text: use at most 32 words'],
    ['keys rotate k_1 --overlap -1', '--overlap "-1": use a number of days of at least 0, such as 90d'],
    ['serve --port 65536', '--port "65536": use an integer from 0 to 65535'],
    [
      'serve --public-url https://a.b/x?y',
      `--public-url "https://a.b/x?y": it may not have a '?' or a '#'\nsuch as https://data.example.com`,
    ],
    [
      'serve --public-url example.org',
      '--public-url "example.org": it is not a URL\nsuch as https://data.example.com',
    ],
    ['serve --billing-url https://a.b/#x', '--billing-url "https://a.b/#x": use an http or https address'],
    ['keys create --name ""', '--name "": use 1 to 100 printable characters'],
  ])('asof %s', (line, said) => {
    expect(refusal(wordsOf(line))).toBe(said);
  });
});
