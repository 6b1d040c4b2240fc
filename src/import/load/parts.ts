import { createHash } from 'node:crypto';
import { maturityNamed } from '../../domain/treasury/curve.ts';
import { defined } from '../../platform/defined.ts';
import { copyOf, refusal } from '../files/source-file.ts';
import type { Batch, ImportFile, ReadOptions } from '../formats/format.ts';
import type { LoadOptions, Part } from './registry.ts';

/** The most series that a part has. */
const mostSeries = 1000;

/** The first and the last batch of a file that has something of a part. */
type BatchRange = { readonly first: number; last: number };

/** Selects the series of a part by their ids in the files. */
type IsIn = (seriesId: string) => boolean;

type PartsPlan = {
  readonly partOf: ReadonlyMap<string, number>;
  /** For each part, the ranges of files by their places. */
  readonly ranges: readonly ReadonlyMap<number, BatchRange>[];
  readonly rename: ReadonlyMap<string, string>;
  /** The ids of `rename` that the files have. */
  readonly renamed: ReadonlySet<string>;
  readonly files: readonly FileBatches[];
  readonly seriesOfPart: number;
};

/** The parts of an import; series are in the order in which the files first mention them. */
export class ImportParts {
  /** Names the parts: other series, or another order, have another key. */
  readonly key: string;
  /** The number of series. */
  readonly series: number;
  readonly #plan: PartsPlan;

  private constructor(plan: PartsPlan) {
    const { partOf, seriesOfPart } = plan;
    this.#plan = plan;
    this.series = partOf.size;
    const hash = createHash('sha256').update(`${seriesOfPart}\n`);
    for (const id of partOf.keys()) hash.update(`${id}\n`);
    this.key = hash.digest('hex');
  }

  /** Reads the files once to find their series; throws a refusal for what cannot be read, before anything is stored. */
  static async of(
    inputs: readonly ImportFile[],
    options: LoadOptions & { readonly rename: ReadonlyMap<string, string> },
    seriesOfPart = mostSeries,
  ): Promise<ImportParts> {
    const together = inputs.map(({ file }) => file);
    const files = inputs.map((input) => new FileBatches(input, { ...options, together }));
    for (const file of files) await file.noteState();
    const partOf = new Map<string, number>();
    const renamed = new Set<string>();
    const ranges: Map<number, BatchRange>[] = [new Map()];
    for (const [index, file] of files.entries()) {
      let at = 0;
      for await (const batch of file.all()) {
        const parts = new Set<number>(hasOthers(batch) ? [0] : []);
        for (const given of idsIn(batch)) {
          const to = options.rename.get(given);
          if (to !== undefined) renamed.add(given);
          const id = to ?? given;
          // A maturity of the curves is no series.
          if (maturityNamed(id) === undefined && !partOf.has(id))
            partOf.set(copyOf(id), Math.floor(partOf.size / seriesOfPart));
          parts.add(partOf.get(id) ?? 0);
        }
        for (const part of parts) {
          ranges[part] ??= new Map();
          const range = ranges[part].get(index);
          if (range === undefined) ranges[part].set(index, { first: at, last: at });
          else range.last = at;
        }
        at += 1;
        await options.onProgress?.({ file: file.path, rows: 0, done: index, total: files.length });
      }
      file.count = at;
    }
    return new ImportParts({ partOf, ranges, rename: options.rename, renamed, files, seriesOfPart });
  }

  /** The number of parts, at least 1. */
  get count(): number {
    return this.#plan.ranges.length;
  }

  part(at: number): Part {
    const { ranges, rename, renamed, seriesOfPart } = this.#plan;
    const isIn: IsIn = (given) => this.#partIn(given) === at;
    const isFirst = at === 0;
    return {
      isFirst,
      upTo: Math.min((at + 1) * seriesOfPart, this.series),
      // An id that the files do not have is refused before anything is stored.
      rename: new Map([...rename].filter(([given]) => (renamed.has(given) ? isIn(given) : isFirst))),
      read: (index, counter) => {
        const range = ranges[at]?.get(index);
        // A file without anything has its entry in the log, too.
        if (range === undefined)
          return isFirst && ranges.every((own) => !own.has(index)) ? nothing() : undefined;
        return this.#read(index, range, counter, (batch) => partOfBatch(batch, isIn, isFirst));
      },
    };
  }

  #partIn(given: string): number {
    const { partOf, rename } = this.#plan;
    return partOf.get(rename.get(given) ?? given) ?? 0;
  }

  async *#read(index: number, range: BatchRange, counter: Counter, select: (batch: Batch) => Batch) {
    const file = this.#plan.files[index];
    if (file !== undefined) for await (const batch of file.between(range, counter)) yield select(batch);
  }

  /** Throws if a file has changed since its series were found: its parts would be of two contents. */
  async checkUnchanged(): Promise<void> {
    for (const file of this.#plan.files) await file.checkUnchanged();
  }

  /** Closes the files. */
  async close(): Promise<void> {
    for (const file of this.#plan.files) await file.close();
  }
}

async function* nothing(): AsyncGenerator<Batch> {}

type Counter = (bytes: number) => void;

/** The batches of a file, which stays open from one part to the next: most files have their series one by one. */
class FileBatches {
  /** The number of all batches. */
  count = 0;
  readonly path: string;
  readonly #input: ImportFile;
  readonly #options: ReadOptions;
  #counter: Counter = () => undefined;
  #batches: AsyncIterator<Batch> | undefined;
  /** The last batch that was read, and its place. */
  #last: Batch = {};
  #at = -1;
  #state: string | undefined;

  constructor(input: ImportFile, options: ReadOptions) {
    this.#input = input;
    this.#options = options;
    this.path = input.file.path;
  }

  async noteState(): Promise<void> {
    this.#state = await this.#input.file.state?.();
  }

  async checkUnchanged(): Promise<void> {
    if ((await this.#input.file.state?.()) !== this.#state)
      throw refusal(this.#input.file, {}, 'the file changed while it was imported');
  }

  all(): AsyncIterable<Batch> {
    const { file, format } = this.#input;
    const counted = { ...file, read: () => file.read((bytes) => this.#counter(bytes)) };
    return format.read(counted, this.#options);
  }

  async *between({ first, last }: BatchRange, counter: Counter): AsyncGenerator<Batch> {
    this.#counter = counter;
    if (first < this.#at) await this.close();
    this.#batches ??= this.all()[Symbol.asyncIterator]();
    if (first === this.#at) yield this.#last;
    while (this.#at < last) {
      const next = await this.#batches.next();
      if (next.done === true) break;
      this.#last = next.value;
      this.#at += 1;
      if (this.#at >= first) yield this.#last;
    }
    if (last === this.count - 1) await this.close();
  }

  async close(): Promise<void> {
    await this.#batches?.return?.();
    this.#batches = undefined;
    this.#at = -1;
  }
}

/** The members of a batch whose rows belong to a series each. */
const bySeries = ['metadata', 'implied', 'coverage', 'units', 'claims', 'statements', 'complete'] as const;

function idsIn(batch: Batch): ReadonlySet<string> {
  const ids = new Set(bySeries.flatMap((member) => batch[member]?.map(({ seriesId }) => seriesId) ?? []));
  return batch.unfigured === undefined ? ids : ids.add(batch.unfigured.seriesId);
}

/** Tells whether a batch has something that belongs to no series. */
function hasOthers({ points, filings, sightings, notes, skippedDays }: Batch): boolean {
  return [points, filings, sightings, notes, skippedDays].some((rows = []) => rows.length > 0);
}

/** Returns what a batch has of a part. */
function partOfBatch(batch: Batch, isIn: IsIn, isFirst: boolean): Batch {
  const own = bySeries.map((member) => [member, batch[member]?.filter(({ seriesId }) => isIn(seriesId))]);
  const { points, filings, sightings, notes, skippedDays, unfigured, describedOn } = batch;
  return defined({
    describedOn,
    ...Object.fromEntries(own),
    ...(isFirst && { points, filings, sightings, notes, skippedDays }),
    unfigured: unfigured !== undefined && isIn(unfigured.seriesId) ? unfigured : undefined,
  });
}
