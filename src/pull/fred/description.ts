import { distance } from '../../domain/series/closest.ts';
import { addDays, type Day } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { SourceFile } from '../../import/files/source-file.ts';
import { fredSeries, readFredSeries } from '../../import/formats/fred/api.ts';
import type { ImportFile } from '../../import/load/load.ts';
import { document, type PullTask } from '../source.ts';
import type { FredApi, FredListing } from './api.ts';

/** The number of days after which a description without new vintages is requested again. */
const daysBetween = 7;

/** FRED's description of a series, asked for at most once in a run. */
export class FredDescription {
  readonly #id: string;
  readonly #subject: PullTask['subject'];
  readonly #api: FredApi;
  readonly #read: PullTask['read'];
  #document: SourceFile | undefined;

  constructor({ subject, read }: PullTask, api: FredApi) {
    this.#id = subject.name;
    this.#subject = subject;
    this.#api = api;
    this.#read = read;
  }

  /** Whether this run has not asked for it, and no run did in the last days. */
  isDue(askedOn: Day | undefined, today: Day): boolean {
    return this.#document === undefined && (askedOn === undefined || askedOn <= addDays(today, -daysBetween));
  }

  get wasAsked(): boolean {
    return this.#document !== undefined;
  }

  /** The description as a document. Throws a Problem if FRED does not know the id. */
  async document(): Promise<SourceFile> {
    if (this.#document !== undefined) return this.#document;
    const text = await this.#api.description(this.#id);
    if (text === undefined) {
      const { bookmark, upTo } = this.#subject;
      throw bookmark === '' ? await unknownSeries(this.#id, this.#api) : goneSeries(this.#id, upTo);
    }
    const place = { name: `${this.#id}-series.json`, path: `FRED ${this.#id}` };
    this.#document = document(place, text);
    return this.#document;
  }

  /** The description, if it words anything otherwise than the store does. */
  async changes(): Promise<readonly ImportFile[]> {
    const file = await this.document();
    const held = await this.#read((view) => view.series.find(this.#id));
    const given = (await readFredSeries(file)).find(({ seriesId }) => seriesId === this.#id);
    const fields = ['title', 'units', 'frequency', 'seasonalAdjustment'] as const;
    const differs = fields.some((field) => given?.[field] !== undefined && given[field] !== held?.[field]);
    return held !== undefined && differs ? [{ file, format: fredSeries }] : [];
  }
}

function goneSeries(id: string, upTo: Day | undefined): Problem {
  const last = upTo === undefined ? '' : `, which it gave up to ${upTo}`;
  return new Problem('not-found', `FRED no longer has the series ${id}${last}; the facts stay in the store`, {
    hints: [`asof unfollow fred ${id} stops following it`],
  });
}

const mostSuggestions = 3;

async function unknownSeries(id: string, api: FredApi): Promise<Problem> {
  const hints = [...(await seriesLike(id, api).catch(nothingIfFailed))]
    .sort((a, b) => distance(id, a.id) - distance(id, b.id))
    .slice(0, mostSuggestions)
    .map(({ id: other, title }) => `FRED has ${other}: ${title}`);
  return new Problem('not-found', `FRED has no series '${id}'`, {
    hints: [...hints, 'asof pull fred --search TEXT lists what FRED has'],
  });
}

async function seriesLike(id: string, api: FredApi): Promise<readonly FredListing[]> {
  const stem = id.slice(0, Math.max(2, id.length - 1));
  const alike = await api.listing({ text: stem, by: 'series_id' }, 1000);
  return alike.length > 0 ? alike : api.listing({ text: id, by: 'full_text' }, mostSuggestions);
}

/** No suggestions where the search for them fails: that FRED does not know the id is certain without them. */
function nothingIfFailed(error: unknown): readonly FredListing[] {
  if (error instanceof Problem && error.kind !== 'interrupted') return [];
  throw error;
}
