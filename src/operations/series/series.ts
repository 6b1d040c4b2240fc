import { plainMatch, wordsOf } from '../../domain/search/words.ts';
import { meaningsOf, meaningText, readMeanings } from '../../domain/series/publishers.ts';
import { frequencies } from '../../domain/series/series.ts';
import { Problem, refused } from '../../errors/problem.ts';
import { clip, listed } from '../../errors/wording.ts';
import type { Followed, Series } from '../../store/store.ts';
import { checkVersion, pageOf } from '../envelope.ts';
import { extension, field, nullableExtension, rowsFrom } from '../field.ts';
import { operation } from '../operation.ts';
import { paging, param, seriesIdParam, textOf } from '../param.ts';
import { choice, text } from '../value.ts';

const fields = [
  field('id', 'text', 'Series identifier, upper case.'),
  field('title', 'text', 'Series title.', { mayLack: true, rank: 'high' }),
  field('units', 'text', 'Unit of the values.', { mayLack: true }),
  field('observation_count', 'integer', 'Number of dates that have a value in the newest vintage.', {
    head: 'count',
    grows: true,
  }),
  field('last_updated', 'instant', 'The newest vintage date, at midnight UTC.', { grows: true }),
  field('source', 'text', 'Data source name.', { mayLack: true, rank: 'low' }),
  extension('frequency', 'text', 'Frequency code: D, W, BW, M, Q, SA or A; empty if unknown.', {
    choices: [...frequencies, ''],
    head: 'freq',
  }),
  extension('seasonal_adjustment', 'text', 'Seasonal adjustment, such as SA, SAAR or NSA.'),
  extension('first_vintage', 'day', 'The oldest vintage date.'),
  extension('last_vintage', 'day', 'The newest vintage date.', { grows: true }),
  extension('covered_to', 'day', 'The last day up to which imports cover the series.', { grows: true }),
  extension(
    'vintage_kind',
    'text',
    'How its vintages came about: exact (days of publication), fetched (days of a download), sampled (some days, with what was known on them) or unknown; several are separated by "; ".',
    { grows: true },
  ),
  extension(
    'vintage_meaning',
    'text',
    'What its vintage dates are: publication, freeze, edition, mid-period, month or fetched; several are separated by "; ". Empty if unknown.',
    { grows: true },
  ),
] as const;

const descriptionChanges = extension(
  'description_changes',
  'records',
  'Changes of its description, oldest first.',
  {
    grows: true,
    knownBy: 'changed_on',
    fields: [
      field('changed_on', 'day', 'The day on which asof noticed the change.'),
      field('field', 'text', 'The changed field: title, units, frequency or seasonal_adjustment.'),
      field(
        'before',
        'text',
        'The text before the change; empty on the first day on which a unit is stated.',
      ),
      field('after', 'text', 'The text after the change.'),
    ],
  },
);

const matched = nullableExtension(
  'matched',
  'text',
  'What the search text matched: id (also by a synonym or an alias), title, words (all of them), some (of the words), or nearest: nothing as typed, but all words after typos are corrected, or an id that is spelled like it.',
);

const foundFields = [...fields, matched] as const;
const foundRow = rowsFrom(foundFields);

const describedFields = [...fields, descriptionChanges] as const;
const describedRow = rowsFrom(describedFields);

const columns = ['id', 'title', 'units', 'frequency', 'observation_count', 'last_updated', 'source'] as const;

/** The most words of a search: each is compared with all words of all series, and with misspellings. */
const mostWords = 32;

/** The series that match a text. */
export const seriesSearch = operation({
  name: 'series_search',
  command: {
    words: 'series search',
    heading: 'Series',
    argument: 'q',
    defaults: { match: 'words' },
    examples: `
# series about prices; synonyms and typos are understood
asof series search "core inflation"
# ids that contain GDP
asof series search gdp --match id --columns id,title
# the ids of all series
asof series search --all --columns id --no-header -f csv
`,
  },
  summary: 'Find series by words, synonyms, or a part of the id',
  description:
    'In the order of ids. `match=title` finds titles in which each word of the text begins a word; `match=any` lists series found by id before series found by title. `match=words` finds words in any order, and typos and synonyms of them, in ids, titles, units and the areas of ids, best first; `matched` says how. A text that names an area finds series of others only if it finds none of that area.',
  path: '/v1/series',
  object: 'series_list',
  inContract: true,
  params: {
    q: param(text, 'Search text; case is ignored. Where words are searched, at most 32 of them.', ''),
    match: param(
      choice(['id', 'title', 'any', 'words']),
      'Where to search for the text; `words` also finds synonyms and corrects a typo.',
      'id',
      { extension: true },
    ),
    ...paging,
  },
  fields: foundFields,
  columns,
  example: { q: 'GDP', match: 'id', limit: '1' },
  knownBy: 'first_vintage',
  identity: ['id'],
  check({ q, match }) {
    if (match !== 'id' && wordsOf(q).length > mostWords)
      throw refused({ param: 'q', reason: `use at most ${mostWords} words` });
  },
  async remark(rows, texts) {
    const text = textOf(texts, 'q') ?? '';
    const q = JSON.stringify(clip(text));
    const matched = rows[0]?.matched;
    if (matched === 'nearest') return [`nothing matches ${q}; the nearest are shown`];
    if (matched !== 'some') return [];
    const { areasNotFound } = await import('../../domain/search/areas.ts');
    const areas = areasNotFound(text, rows);
    const none =
      areas.length === 0
        ? `no series matches all of ${q}`
        : `no series for ${listed(areas, 'or')} matches ${q}`;
    return [`${none}; those that match a part of it are shown`];
  },
  async whyEmpty(texts) {
    const q = textOf(texts, 'q') ?? '';
    return q.trim() === '' ? 'no series is stored' : `no series matches ${JSON.stringify(clip(q))}`;
  },
  rowTests: {
    // A search by words depends on all series, so only the service knows how it found a row.
    q: {
      field: 'id',
      met: (row, { q, match }) =>
        q.trim() === '' ||
        (match === 'words' ? row.matched !== null : plainMatch(row, q, match) !== undefined),
    },
  },
  async run({ q, match, limit }, { view, position }) {
    const after = position?.key[0];
    if (match === 'id' || q === '') {
      const found = await view.series.search({ text: q, limit: limit + 1, ...(after && { after }) });
      const by = q === '' ? null : 'id';
      return pageOf(
        found,
        limit,
        (series) => foundRow({ ...derivedOf(series), matched: by }, series),
        ({ id }) => ({ key: [id] }),
      );
    }
    // The rank of a series depends on all others, so all pages must come from one state of the data.
    const { revision } = await view.state();
    checkVersion(position, revision);
    const { findIndexed } = await import('../../domain/search/search.ts');
    const meant = match === 'words' ? await view.aliases.idOf(q.trim().toUpperCase()) : undefined;
    const named = meant === undefined || after !== undefined ? [] : [{ id: meant, matched: 'id' as const }];
    // One more than the page shows whether another follows, and the series of the alias comes twice.
    const others = await findIndexed(view.series, q, match, {
      after: after === meant ? undefined : after,
      limit: limit + 2,
    });
    const page = [...named, ...others.filter(({ id }) => id !== meant)].slice(0, limit + 1);
    const ids = page.map(({ id }) => id);
    const described = await view.series.search({ text: '', ids, limit: ids.length });
    const byId = new Map(described.map((series) => [series.id, series]));
    return pageOf(
      page.flatMap(({ id, matched }) => {
        const series = byId.get(id);
        return series === undefined ? [] : [{ series, matched }];
      }),
      limit,
      ({ series, matched }) => foundRow({ ...derivedOf(series), matched }, series),
      ({ series }) => ({ key: [series.id], version: revision }),
    );
  },
});

/** The description of one series. */
export const seriesShow = operation({
  name: 'series_show',
  command: {
    words: 'series show',
    heading: 'Series',
    argument: 'id',
    examples: `
# title, units and frequency
asof series show PAYEMS
# the first vintage, and the last day covered
asof series show gdp --columns id,first_vintage,covered_to
`,
  },
  summary: 'Describe one series: title, units, coverage',
  description: 'What the series is, how many dates have a value, and which days its vintages span.',
  path: '/v1/series/{id}',
  object: 'series',
  inContract: true,
  card: true,
  params: { id: seriesIdParam('id') },
  fields: describedFields,
  columns,
  example: { id: 'GDP' },
  knownBy: 'first_vintage',
  identity: ['id'],
  async remark([first], _texts, { followed, whenDue }) {
    if (first === undefined) return [];
    const changes = (first.description_changes ?? []).flatMap(({ changed_on, field, before, after }) =>
      before === ''
        ? []
        : `${field} changed on ${changed_on}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
    );
    const meanings = readMeanings(first.vintage_meaning ?? '');
    const dated = meanings.length === 0 ? [] : [`the date of a vintage is ${meaningText(meanings)}`];
    const own = (await followed()).filter(({ name }) => name === first.id).map(followedText);
    const next = await whenDue(first.id);
    return [...dated, ...(next === undefined ? [] : [next]), ...own, ...changes];
  },
  async run({ id }, { view }) {
    const [found, changes] = await Promise.all([view.series.find(id), view.series.descriptionChanges(id)]);
    const series = existing(found, id);
    return { rows: [describedRow({ ...derivedOf(series), descriptionChanges: changes }, series)] };
  },
});

function derivedOf({ lastVintage, vintageKind, publishers }: Series) {
  return { lastUpdated: lastVintage, vintageMeaning: meaningsOf(vintageKind, publishers).join('; ') };
}

function followedText({ source, name, since, upTo, lastRun, left }: Followed): string {
  const reach = upTo === undefined ? 'nothing yet' : `up to ${upTo}`;
  const run = lastRun === undefined ? '' : `, last pulled ${lastRun.slice(0, 16)}Z`;
  const rest = left === '' ? '' : `; left: ${left}`;
  return `asof pulls ${name} from ${source} since ${since.slice(0, 10)}: ${reach}${run}${rest}`;
}

/** Returns what the store found for a series; throws the contract's 404 if the series does not exist. */
export function existing<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Problem('not-found', `series '${id}' not found`);
  return found;
}
