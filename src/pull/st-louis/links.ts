import type { Frequency } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';

/** A month: `2026-08`. */
export type Month = string;

/** A file of a database, as the page of the databases links it. */
export type LinkedFile = {
  readonly path: string;
  readonly month: Month;
  /** True for a corrected file of a month, `2026-rev-08-md.csv`. */
  readonly isRevised: boolean;
};

/** An archive with the files of several months. */
type LinkedArchive = { readonly path: string; readonly from: Month; readonly to: Month };

/** The files of one database on the page. */
export type Links = {
  readonly files: readonly LinkedFile[];
  readonly archives: readonly LinkedArchive[];
  /** Addresses of files whose month neither the address nor the text of the link states. */
  readonly undated: readonly string[];
  /** Addresses of archives whose first and last months neither the address nor the text of the link states. */
  readonly undatedArchives: readonly string[];
};

const site = 'https://www.stlouisfed.org/research/economists/mccracken/fred-databases';

/** Reads the links of a page to files of FRED-MD (`M`) or FRED-QD (`Q`). */
export function linksIn(page: string, frequency: Frequency): Links {
  const [folder, letters] = frequency === 'Q' ? ['quarterly', 'qd'] : ['monthly', 'md'];
  const files: LinkedFile[] = [];
  const archives: LinkedArchive[] = [];
  const undated: string[] = [];
  const undatedArchives: string[] = [];
  for (const [, href = '', content = ''] of page.matchAll(
    /<a\b[^>]*?\shref\s*=\s*["']([^"']+)["'][^>]*>(.*?)<\/a>/gis,
  )) {
    const url = URL.parse(href.replaceAll('&amp;', '&').trim(), site);
    if (url === null || !/(?:^|\.)stlouisfed\.org$/.test(url.hostname)) continue;
    const path = url.pathname + url.search;
    const [name = ''] = /[^/]*$/.exec(url.pathname) ?? [];
    const text = content.replace(/<[^>]*>/g, ' ');
    if (/\.zip$/i.test(name) && new RegExp(`fred-${letters}`, 'i').test(name)) {
      const [from, to] = monthsIn(name).length === 2 ? monthsIn(name) : monthsIn(text);
      if (from !== undefined && to !== undefined) archives.push({ path, from, to });
      else undatedArchives.push(url.origin + url.pathname);
    }
    if (!/\.csv$/i.test(name) || !url.pathname.toLowerCase().includes(`/fred-md/${folder}/`)) continue;
    const [month] = [...monthsIn(name), ...monthsIn(text)];
    if (month === undefined) undated.push(url.href);
    else files.push({ path, month, isRevised: /-rev-/i.test(name) });
  }
  archives.sort((a, b) => (a.from < b.from ? -1 : 1));
  return { files, archives, undated, undatedArchives };
}

/** Lists the months in a text: `2015-01`, `2026-rev-08`, `2024m5`. */
function monthsIn(text: string): readonly Month[] {
  return Array.from(text.matchAll(/(?<!\d)((?:19|20)\d\d)(?:-(?:rev-)?|m)(\d{1,2})(?!\d)/gi)).flatMap(
    ([, year, month]) =>
      Number(month) >= 1 && Number(month) <= 12 ? [`${year}-${String(month).padStart(2, '0')}`] : [],
  );
}

/** Returns the month of a file in an archive by its name: `2016-01.csv`, `FRED-MD_2024m01.csv`. */
export function monthOfFile(name: string): Month | undefined {
  return /\.csv$/i.test(name) ? monthsIn(name)[0] : undefined;
}

/** Returns the month some months later. */
export function monthAfter(month: Month, count = 1): Month {
  const number = 12 * Number(month.slice(0, 4)) + Number(month.slice(5)) - 1 + count;
  return `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`;
}

/** Returns the newest file that the page links; throws if no link states its month. */
export function newestIn({ files, undated }: Links, name: string): LinkedFile {
  const [newest] = [...files].sort((a, b) =>
    b.month > a.month ? 1 : b.month < a.month ? -1 : Number(b.isRevised) - Number(a.isRevised),
  );
  // A file whose month nobody states could be older than what the store has.
  if (newest !== undefined) return newest;
  const what = undated.length === 0 ? 'no link' : 'a link that does not state its month';
  throw new Problem(
    'bad-answer',
    `the page of the St. Louis Fed has changed: it has ${what} to the newest file of ${name}`,
    {
      hints: [
        'the page may have changed; a newer asof may read it',
        'download the file, and import it with asof import FILE --as-of DAY',
      ],
    },
  );
}
