import { sourceNamesIn } from '../../domain/series/publishers.ts';
import { dayNumber } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { fredMd, fredQd } from '../../import/formats/panels.ts';
import type { Series } from '../../store/store.ts';
import type { PullSource } from '../source.ts';
import { otherAnswer } from '../whole-files.ts';
import { changedPage, monthsIn, type Panel, PanelHistory, type PanelLinks, title } from './panel-history.ts';

const pagePath = '/research/economists/mccracken/fred-databases';

/** FRED-MD, by month up to the one before the file's, and FRED-QD, whose quarters are dated by their last months. */
export const fredDatabases: readonly PullSource[] = [
  databaseSource({ name: 'fred-md', format: fredMd, folder: 'monthly', lastRow: { before: 1, after: 0 } }),
  databaseSource({ name: 'fred-qd', format: fredQd, folder: 'quarterly', lastRow: { before: 3, after: 2 } }),
];

function databaseSource(panel: Panel): PullSource {
  const { name, format } = panel;
  const everything = name.toUpperCase();
  const isOwn = ({ publishers }: Pick<Series, 'publishers'>) =>
    sourceNamesIn(publishers).includes(format.source ?? '');
  return {
    name,
    title,
    base: 'https://www.stlouisfed.org',
    headers: { accept: '*/*' },
    // The publisher states no limit.
    pace: [{ requests: 1, milliseconds: 1000 }],
    // An archive has 32 MB.
    timeout: 600,
    probe: pagePath,
    // Of a file that the server does not have, it sends a page.
    isAnswer: ({ status }) => status === 200 || status === 404,
    counted: { new_vintages: ['new vintage', 'new vintages'], new_series: ['new series', 'new series'] },
    since: 'whole',
    everything: () => [everything],

    parse(text) {
      if (text.toUpperCase() === everything) return everything;
      throw new Problem('bad-input', `${name} comes as a whole, not by ${JSON.stringify(text)}`, {
        hints: [`asof pull ${name} --since 2015-01 leaves out earlier vintages`],
      });
    },

    estimate({ bookmark }) {
      if (bookmark !== '') return { requests: 2, what: 'the page of the databases and the newest file' };
      return { requests: 3, what: 'the page of the databases, its archives and the files since then' };
    },

    brings: (_, series) => isOwn(series),

    async count(_, view) {
      const all = await view.series.search({ text: '', limit: Number.MAX_SAFE_INTEGER });
      const own = all.filter(isOwn);
      // A series that is in every file stands for the panel.
      const [longest] = own.sort((a, b) => spanOf(b) - spanOf(a));
      const seriesId = longest?.id ?? '';
      const page = await view.series.vintages({ seriesId, limit: Number.MAX_SAFE_INTEGER });
      return { new_vintages: page?.rows.length ?? 0, new_series: own.length };
    },

    async *windows(task) {
      const reply = await task.get(pagePath, async (given) =>
        /<a\b/i.test(given.body.toString()) ? undefined : otherAnswer(title, 'its page of links', given),
      );
      yield* new PanelHistory(panel, task).windows(linksIn(reply.body.toString(), panel));
    },
  };
}

function spanOf({ firstVintage, lastVintage }: Pick<Series, 'firstVintage' | 'lastVintage'>): number {
  return firstVintage === '' ? 0 : dayNumber(lastVintage) - dayNumber(firstVintage);
}

const site = `https://www.stlouisfed.org${pagePath}`;

/** Reads the links of a page to files of a database; throws if none to the newest file states its month. */
function linksIn(page: string, { name: database, folder: own }: Panel): PanelLinks {
  const files: PanelLinks['files'][number][] = [];
  const archives: PanelLinks['archives'][number][] = [];
  const undatedArchives: string[] = [];
  let isDated = true;
  for (const [, href = '', content = ''] of page.matchAll(
    /<a\b[^>]*?\shref\s*=\s*["']([^"']+)["'][^>]*>(.*?)<\/a>/gis,
  )) {
    const url = URL.parse(href.replaceAll('&amp;', '&').trim(), site);
    if (url === null || !/(?:^|\.)stlouisfed\.org$/.test(url.hostname)) continue;
    const path = url.pathname + url.search;
    const name = url.pathname.replace(/^.*\//, '').toLowerCase();
    const text = content.replace(/<[^>]*>/g, ' ');
    if (name.endsWith('.zip') && name.includes(database)) {
      const [from, to] = monthsIn(name).length === 2 ? monthsIn(name) : monthsIn(text);
      if (from !== undefined && to !== undefined) archives.push({ path, from, to });
      else undatedArchives.push(url.origin + url.pathname);
    }
    if (!name.endsWith('.csv') || !url.pathname.toLowerCase().includes(`/fred-md/${own}/`)) continue;
    const [month] = [...monthsIn(name), ...monthsIn(text)];
    if (month === undefined) isDated = false;
    else files.push({ path, month, isRevised: name.includes('-rev-') });
  }
  const order = ({ month, isRevised }: PanelLinks['newest']) => `${month} ${isRevised}`;
  const [newest] = files.toSorted((a, b) => (order(a) < order(b) ? 1 : -1));
  archives.sort((a, b) => (a.from < b.from ? -1 : 1));
  // A file whose month nobody states could be older than what the store has.
  if (newest !== undefined) return { files, newest, archives, undatedArchives };
  const what = isDated ? 'no link' : 'a link that does not state its month';
  const detail = `the page of ${title} has changed: it has ${what} to the newest file of ${database}`;
  throw new Problem('bad-answer', detail, {
    hints: [changedPage, 'download the file, and import it with asof import FILE --as-of DAY'],
  });
}
