import { addDays, type Day } from '../../domain/series/date.ts';
import type { Problem } from '../../errors/problem.ts';
import type { SourceFile } from '../../import/files/source-file.ts';
import { fredSeries, readFredSeries } from '../../import/formats/fred/series.ts';
import type { ImportFile } from '../../import/load/load.ts';
import { document, type PullTask } from '../source.ts';
import { type FredApi, goneSeries, unknownSeries } from './api.ts';

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

  /** Whether this run has asked for it. */
  get wasAsked(): boolean {
    return this.#document !== undefined;
  }

  /**
   * The description as a document; an id that FRED does not know is a Problem, for a new series with what it may have
   * meant.
   */
  async document(): Promise<SourceFile> {
    if (this.#document !== undefined) return this.#document;
    const text = await this.#api.description(this.#id);
    if (text === undefined) throw await this.#unknown();
    const place = { name: `${this.#id}-series.json`, path: `FRED ${this.#id}` };
    this.#document = document(place, text);
    return this.#document;
  }

  async #unknown(): Promise<Problem> {
    const { bookmark, upTo } = this.#subject;
    return bookmark === '' ? unknownSeries(this.#id, this.#api) : goneSeries(this.#id, upTo);
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
