import { readData, testData } from '../repository.ts';
import { zipOf } from '../source-file.ts';
import { type Loopback, loopback } from './loopbacks.ts';

/** What both servers send for a file that they do not have: a page, with the status of success. */
export const notFoundPage = {
  status: 200,
  body: '<!DOCTYPE html>\n<html lang="en"><head><title>Page not found</title></head><body><a href="/">Home</a></body></html>',
  type: 'text/html; charset=utf-8',
} as const;

const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The workbook of ROUTPUT as the Philadelphia Fed published it. */
export const realRoutput = readData(testData, 'macro/rtdsm/ROUTPUTQvQd.xlsx');

/** A loopback Philadelphia Fed; its workbooks by name in lower case: `routputqvqd`. */
export type LoopbackPhiladelphia = Loopback & { readonly workbooks: Record<string, Buffer> };

/** Starts a loopback Philadelphia Fed. */
export async function loopbackPhiladelphia(
  workbooks: Record<string, Buffer> = { routputqvqd: realRoutput },
): Promise<LoopbackPhiladelphia> {
  const folder = '/-/media/frbp/assets/surveys-and-data/real-time-data/data-files/xlsx/';
  const source = await loopback(
    ({ pathname }) => {
      const name = pathname.toLowerCase().startsWith(folder) ? pathname.slice(folder.length) : pathname;
      const body = workbooks[name.toLowerCase().replace(/\.xlsx$/, '')];
      const reply = body === undefined ? notFoundPage : { status: 200, body, type: workbookType };
      return { what: name, reply };
    },
    (url) => ({ rtdsm: { url } }),
  );
  return Object.assign(source, { workbooks });
}

/** The page of the databases of the St. Louis Fed with links to files, whose texts the values are. */
export function pageOf(links: Readonly<Record<string, string>>): string {
  const shown = Object.entries(links).map(
    ([path, text]) => `<p><a class="link" href="${path.replaceAll('&', '&amp;')}" title="">${text}</a></p>`,
  );
  return `<!DOCTYPE html>\n<html lang="en"><head><title>FRED-MD and FRED-QD</title></head><body>\n<a href="/about">About</a>\n${shown.join('\n')}\n</body></html>\n`;
}

const media = '/-/media/project/frbstl/stlouisfed/research/fred-md';

/** A loopback St. Louis Fed; tests change its page and files. */
export type LoopbackStLouis = Loopback & {
  /** The links of the page by path, with their texts. */
  links: Record<string, string>;
  /** Bodies by path without the query. */
  readonly files: Record<string, Buffer>;
};

/** Starts a loopback St. Louis Fed without a file. */
export async function loopbackStLouis(): Promise<LoopbackStLouis> {
  const source = await loopback(
    ({ pathname }) => {
      const { links, files } = stLouis;
      const what = pathname.replace(media, '').replace(/^\//, '');
      if (pathname === '/research/economists/mccracken/fred-databases')
        return { what: 'page', reply: { status: 200, body: pageOf(links), type: 'text/html' } };
      const body = files[what];
      const type = what.endsWith('.zip') ? 'application/zip' : 'text/csv';
      return { what, reply: body === undefined ? notFoundPage : { status: 200, body, type } };
    },
    (url) => ({ 'fred-md': { url }, 'fred-qd': { url } }),
  );
  const stLouis: LoopbackStLouis = Object.assign(source, { links: {}, files: {} });
  return stLouis;
}

/** Publishes a file: links it under a text, or only has it without one. */
export function publish(
  { links, files }: LoopbackStLouis,
  name: string,
  content: string | Buffer,
  text?: string,
): void {
  files[name] = Buffer.from(content);
  if (text !== undefined) links[`${media}/${name}?sc_lang=en&hash=80445D12401C59CF716410F3F7863B64`] = text;
}

/** Takes away the links with a text. */
export function unlink(stLouis: LoopbackStLouis, text: string): void {
  stLouis.links = Object.fromEntries(Object.entries(stLouis.links).filter(([, shown]) => shown !== text));
}

/** The rows of a small FRED-MD file of a month: INDPRO and PAYEMS of the two years before it, which it revises. */
export function panelOf(month: string, { columns = ['INDPRO', 'PAYEMS'], revised = 0 } = {}): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const last = 12 * year + number - 2;
  const rows = Array.from({ length: 24 }, (_, i) => {
    const at = last - 23 + i;
    // The newest three months differ from file to file.
    const shift = i > 20 ? number / 100 + revised : 0;
    const values = columns.map((_, column) => (100 * (column + 1) + at / 10 + shift).toFixed(4));
    return [`${(at % 12) + 1}/1/${Math.floor(at / 12)}`, ...values].join(',');
  });
  return [`sasdate,${columns.join(',')}`, `Transform:,${columns.map(() => '5').join(',')}`, ...rows, ''].join(
    '\n',
  );
}

/** The rows of a small FRED-QD file of a month: GDPC1 of the eight quarters that had ended. */
export function quarterlyPanelOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const last = 4 * year + Math.floor((number - 1) / 3) - 1;
  const rows = Array.from({ length: 8 }, (_, i) => {
    const at = last - 7 + i;
    const shift = i > 5 ? number / 100 : 0;
    return `${3 * (at % 4) + 3}/1/${Math.floor(at / 4)},${(20_000 + at + shift).toFixed(3)}`;
  });
  return ['sasdate,GDPC1', 'factors,0', 'transform,5', ...rows, ''].join('\n');
}

/** A real small archive of FRED-MD: 2015-01, 2020-04 and 2020-05. */
export const realArchive = readData(testData, 'macro/fred-md/fred-md-vintages.zip');

/** An archive of files by name. */
export function archiveOf(files: Readonly<Record<string, string>>): Buffer {
  return zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
}
