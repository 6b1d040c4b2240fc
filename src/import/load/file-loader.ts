import type { Filing } from '../../domain/insider/filing.ts';
import type { Day } from '../../domain/series/date.ts';
import type { WholeVintage } from '../../domain/series/merge-plan.ts';
import type { Statement } from '../../domain/series/revision-history.ts';
import type { CurvePoint } from '../../domain/treasury/curve.ts';
import type { Merged } from '../../store/series-writer.ts';
import type { StoreWriter } from '../../store/writer.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { Batch, ImportFormat, ReadOptions } from '../formats/format.ts';
import type { ImportConflict, StatementLog } from './conflict.ts';
import { Rates } from './rates.ts';
import type { Registry, RegistryOptions } from './registry.ts';
import {
  type ByteProgress,
  type FileSummary,
  isDatedByHand,
  Projections,
  projectionsRefused,
  Tally,
} from './tally.ts';

/** How an import treats what it reads. */
export type LoadOptions = ReadOptions &
  RegistryOptions & {
    /** A whole vintage withdraws every date that it does not list. */
    readonly complete: boolean;
    /** Accept values of periods that begin after the day on which they were known, in files dated by hand. */
    readonly projections?: boolean;
    /** The name under which the log of imports has all files as one; without it, it has each file. */
    readonly loggedAs?: string;
    /** Called with the conflicts of the import, which are then left out instead of refused. */
    readonly onConflicts?: (conflicts: readonly ImportConflict[]) => void;
    /** The number of statements to collect in memory before they are merged; the result does not depend on it. */
    readonly bufferSize?: number;
    /** Called between steps of the work; the import waits for it, and stops if it throws. */
    readonly onProgress?: (progress: LoadProgress) => Promise<void>;
  };

/** The progress of an import: the rows of the current file, and the bytes of all files. */
export type LoadProgress = {
  readonly file: string;
  readonly rows: number;
  readonly done: number;
  readonly total: number;
};

/** What the files of an import share. */
type ImportState = {
  readonly writer: StoreWriter;
  readonly options: LoadOptions;
  readonly registry: Registry;
  readonly conflicts: ImportConflict[];
  readonly progress: ByteProgress;
  /** The ids of rates that the store holds as series. */
  readonly heldRates: ReadonlySet<string>;
  /** Set if statements are replaced; otherwise conflicts are found against the store. */
  readonly log: StatementLog | undefined;
};

const defaultBufferSize = 400_000;

/** Loads one file of an import. */
export class FileLoader {
  readonly #file: SourceFile;
  readonly #format: ImportFormat;
  readonly #import: ImportState;
  readonly #tally = new Tally();
  readonly #projections = new Projections();
  readonly #rates: Rates;
  readonly #waiting = new Map<string, Statement[]>();
  #waitingCount = 0;
  /** The dates that each vintage lists, by series; set if dates that are not listed are withdrawn. */
  readonly #listed = new Map<string, Map<Day, Set<Day>>>();
  /** The vintages that speak for every date, by series. */
  readonly #completed = new Map<string, WholeVintage[]>();
  #rows = 0;

  constructor(file: SourceFile, format: ImportFormat, state: ImportState) {
    this.#file = state.progress.begin(file);
    this.#format = format;
    this.#import = state;
    this.#rates = new Rates(this.#file, state.heldRates, state.options);
  }

  async load(): Promise<FileSummary> {
    const { options, registry, progress } = this.#import;
    const { bufferSize = defaultBufferSize } = options;
    for await (const batch of this.#format.read(this.#file, options)) {
      const { statements = [], complete = [], points = [], filings = [], notes = [], claims = [] } = batch;
      for (const { seriesId, source } of claims) registry.claim(seriesId, source);
      this.#tally.describe(await registry.take(this.#withoutRates(batch), this.#file.path));
      this.#collect(statements);
      for (const vintage of complete) this.#complete(vintage);
      if (points.length > 0) await this.#mergePoints(points);
      if (filings.length > 0) await this.#mergeFilings(filings);
      this.#tally.note(...notes);
      this.#tally.skip(batch.skippedDays ?? []);
      this.#rows += statements.length + points.length + filings.length;
      if (this.#waitingCount === 0) progress.store();
      await this.#report(0);
      if (this.#waitingCount >= bufferSize) await this.#mergeWaiting();
    }
    await this.#countProjections();
    const points = this.#rates.points();
    if (points.length > 0) await this.#mergePoints(points);
    this.#tally.note(...this.#rates.notes());
    this.#tally.skip(this.#rates.skippedDays);
    await this.#mergeWaiting();
    await this.#mergeComplete();
    return this.#tally.summary(this.#file.path, this.#format.kind);
  }

  async #report(share: number): Promise<void> {
    const { options, progress } = this.#import;
    const { total } = progress;
    await options.onProgress?.({
      file: this.#file.path,
      rows: this.#rows,
      done: progress.done(share),
      total,
    });
  }

  /** Collects statements by series until they are merged. */
  #collect(statements: readonly Statement[]): void {
    const { registry, options } = this.#import;
    let seriesId: string | undefined;
    let id = '';
    let isRate = false;
    let target: Statement[] = [];
    for (const statement of statements) {
      if (statement.seriesId !== seriesId) {
        seriesId = statement.seriesId;
        id = registry.idOf(seriesId);
        isRate = this.#rates.has(id);
        if (!isRate) {
          if (this.#format.statesSources !== true) registry.claim(seriesId, this.#format.source);
          target = this.#waiting.get(id) ?? [];
          this.#waiting.set(id, target);
        }
      }
      if (statement.asOf > options.latest) throw this.#future(statement.asOf, statement.seriesId);
      if (isRate) {
        this.#rates.add(id, statement);
        this.#projections.add(id, statement);
        continue;
      }
      target.push(statement);
      this.#waitingCount += 1;
      this.#projections.add(id, statement);
      if (options.complete && this.#format.whole) this.#list(id, statement);
    }
  }

  /** A batch without what its vintages imply of rates, which have none. */
  #withoutRates(batch: Batch): Batch {
    const { coverage = [], implied = [] } = batch;
    const isSeries = ({ seriesId }: { readonly seriesId: string }): boolean =>
      !this.#rates.has(this.#import.registry.idOf(seriesId));
    return { ...batch, coverage: coverage.filter(isSeries), implied: implied.filter(isSeries) };
  }

  async #countProjections(): Promise<void> {
    const { options, registry } = this.#import;
    const found = await this.#projections.found(registry);
    this.#tally.projections = found.length;
    if (found.length > 0 && options.projections !== true && isDatedByHand(this.#format, options.asOf))
      throw projectionsRefused(this.#file, found, this.#format);
  }

  #list(id: string, { asOf, date }: Statement): void {
    const vintages = this.#listed.get(id) ?? new Map<Day, Set<Day>>();
    this.#listed.set(id, vintages);
    const dates = vintages.get(asOf) ?? new Set<Day>();
    vintages.set(asOf, dates);
    dates.add(date);
  }

  #complete({ seriesId, asOf, kind }: Required<Batch>['complete'][number]): void {
    const { registry, options } = this.#import;
    if (asOf > options.latest) throw this.#future(asOf, seriesId);
    const id = registry.idOf(seriesId);
    if (this.#rates.has(id)) return;
    const vintages = this.#completed.get(id) ?? [];
    this.#completed.set(id, vintages);
    vintages.push({ asOf, kind });
  }

  async #mergeWaiting(): Promise<void> {
    const { writer, options, registry, log, conflicts, progress } = this.#import;
    const { vintageKind: kind } = this.#format;
    const count = this.#waitingCount;
    let merged = 0;
    for (const [seriesId, statements] of this.#waiting) {
      await this.#report(merged / count);
      merged += statements.length;
      for (const { asOf } of statements) this.#tally.vintage(seriesId, asOf);
      const frequency = log && (await registry.frequencies(new Set([seriesId]))).get(seriesId);
      for (const conflict of log?.add(seriesId, statements, frequency) ?? [])
        conflicts.push({ kind: 'value', file: this.#file.path, seriesId, bothNew: true, ...conflict });
      this.#count(seriesId, await writer.merge(seriesId, statements, { ...options, kind }));
    }
    this.#waiting.clear();
    this.#waitingCount = 0;
    progress.store();
  }

  async #mergeComplete(): Promise<void> {
    const { writer, options } = this.#import;
    const { vintageKind: kind } = this.#format;
    for (const [id, listed] of this.#listed) {
      const vintages = Array.from(listed, ([asOf, dates]) => ({ asOf, dates }));
      this.#count(id, await writer.complete(id, vintages, { ...options, kind }));
    }
    for (const [id, vintages] of this.#completed)
      this.#count(id, await writer.complete(id, vintages, { ...options, kind }));
  }

  #count(seriesId: string, merged: Merged): void {
    this.#tally.add(seriesId, merged);
    for (const conflict of merged.conflicts)
      this.#import.conflicts.push({ kind: 'value', file: this.#file.path, seriesId, ...conflict });
  }

  async #mergePoints(points: readonly CurvePoint[]): Promise<void> {
    const { writer, options } = this.#import;
    for (const { tradeDate, curveType } of points) {
      if (tradeDate > options.latest) throw this.#future(tradeDate, `the ${curveType} curve`);
    }
    for (const curveType of new Set(points.map((point) => point.curveType))) {
      const own = points.filter((point) => point.curveType === curveType);
      const { added, known, conflicts } = await writer.mergePoints(own, options);
      this.#tally.add(`${curveType} curve`, { added, known, withdrawn: 0 });
      for (const conflict of conflicts)
        this.#import.conflicts.push({ kind: 'rate', file: this.#file.path, ...conflict });
    }
  }

  async #mergeFilings(filings: readonly Filing[]): Promise<void> {
    const { writer, options } = this.#import;
    for (const { filedOn, filingId } of filings) {
      if (filedOn > options.latest) throw this.#notFiledYet(filedOn, filingId);
    }
    const merged = await writer.mergeFilings(filings, options);
    this.#tally.addTrades(filings, merged);
    for (const conflict of merged.conflicts)
      this.#import.conflicts.push({ kind: 'filing', file: this.#file.path, ...conflict });
  }

  #future(day: Day, what: string): Error {
    const { latest } = this.#import.options;
    return refusal(
      this.#file,
      { value: day },
      `${what} is dated in the future; today is at most ${latest}`,
      this.#format.takesAsOf ? ['pass the date on which the figures were known with --as-of'] : [],
    );
  }

  #notFiledYet(day: Day, filingId: string): Error {
    const { latest } = this.#import.options;
    const reason = `the filing ${filingId} is dated in the future; today is at most ${latest}`;
    return refusal(this.#file, { value: day }, reason);
  }
}
