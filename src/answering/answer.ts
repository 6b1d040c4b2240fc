import type { Client } from '../client/client.ts';
import { type Extent, pagesOf } from '../client/pagination.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import type { ColumnPage, Envelope, Row } from '../operations/envelope.ts';
import type { RowLayout } from '../operations/field.ts';
import type { Naming, Operation } from '../operations/operation.ts';
import type { Params, ParamTexts, QueryParams } from '../operations/param.ts';
import { Basis, type Demands } from './basis.ts';
import type { TableFiles, TableText } from './table.ts';

/** A note on an answer; `unknown` says why another note is missing. */
export type Note = {
  readonly kind:
    | 'coverage'
    | 'outside coverage'
    | 'sampled'
    | 'beyond'
    | 'missing'
    | 'stale'
    | 'no curve'
    | 'rescaled'
    | 'empty'
    | 'incomplete'
    | 'remark'
    | 'check'
    | 'passed'
    | 'alias'
    | 'known at'
    | 'unknown';
  readonly text: string;
};

type AnswerProgress = {
  readonly done: number;
  readonly total?: number;
  readonly unit: 'rows' | 'series' | 'requests';
  readonly rows?: number;
};

/** A client, and where its notes and progress go. */
export type Asker = {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The names of questions and parameters in messages. */
  readonly naming: Naming;
  /** Receives each note as it arises. By default, no request is made for a note. */
  readonly note?: (note: Note) => void;
  readonly progress?: (progress: AnswerProgress) => void;
  /** Throws for an answer with more rows than its reader may get. Default: no limit. */
  readonly allow?: (rows: number) => void;
  /** True if an answer without rows is explained, or refused if its subject does not exist. */
  readonly explained?: boolean;
  /** How the rows are drawn, which may take a request for each series. Default: false. */
  readonly drawn?: false | { readonly recessions: boolean };
  readonly tables?: TableFiles;
};

/** What one attempt to answer needs. */
export type Ask = Asker & {
  readonly basis: Basis;
  /** The notes so far, each text once. */
  readonly notes: readonly Note[];
  /** Returns the reason why a transformation has no results; undefined if there are no values to compute with. */
  readonly noResult?: <R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
  ) => Promise<Note | undefined>;
};

/** Makes what one answer needs; its client records the basis, and refuses answers that miss the demands. */
export function askOf<A extends Asker>(asker: A, demands: Demands, today: Day): A & Ask {
  const basis = new Basis(demands, today);
  const notes: Note[] = [];
  const note = (one: Note): void => {
    // The same may be true of two days.
    if (notes.some(({ text }) => text === one.text)) return;
    notes.push(one);
    asker.note?.(one);
  };
  return { ...asker, ...(asker.note && { note }), basis, notes, client: basis.through(asker.client) };
}

/** A page of rows as bytes, which the next page overwrites. */
export type WrittenPage = { readonly bytes: Uint8Array; readonly rows: number };

/** Rows as the bytes of a text. */
export type WrittenRows<O> = TableText & {
  readonly pages: () => AsyncGenerator<WrittenPage, O>;
};

/** Whether a comparison found a difference. */
export type Difference = { readonly differs: boolean };

/** The pages of an answer, with a layout if its question cannot declare it for the values alone. */
export type QueryAnswer<R extends Row = Row, O = Difference | undefined> = Partial<RowLayout> & {
  /** True if a terminal shows each row as a card. */
  readonly card?: boolean;
  /** What a terminal says above the rows. */
  readonly sentence?: string;
  /** True if the sentence says all that the rows have; a table is then the sentence alone. */
  readonly isText?: boolean;
  /** The rows as text, with the user's own columns as the user wrote them. */
  readonly written?: WrittenRows<O>;
  readonly pages: AsyncGenerator<Envelope<R>, O>;
  /** The same rows by column, for an output that has them so; absent if they are made as rows. */
  readonly byColumn?: () => AsyncGenerator<ColumnPage, O>;
};

/** What is known about an answer after its last page. */
export type Outcome = Partial<Difference> & {
  readonly rows: number;
  /** The first page without its rows; missing if the rows are text. */
  readonly head?: Omit<Envelope, 'results'>;
  readonly hasMore: boolean;
  /** Continues after the last row if a limit cut the answer off. */
  readonly cursor?: string;
  readonly basis: Basis;
  /** Returns what a file with notes says besides the rows; may ask for descriptions of series. */
  about(): Promise<readonly (readonly [name: string, text: string])[]>;
};

/** Converts the values of parameters to texts. */
export function textsOf(params: QueryParams): ParamTexts {
  return Object.entries(params).map(([name, value]) => [name, String(value)]);
}

/** Reads the rows of a listing. Default: all. */
export async function rowsOf<R extends Row>(
  { client, signal }: Pick<Ask, 'client' | 'signal'>,
  operation: Operation<Params, R>,
  params: QueryParams,
  extent: Extent = {},
): Promise<readonly R[]> {
  const rows: R[] = [];
  for await (const page of pagesOf(client, operation, textsOf(params), extent, signal))
    for (const row of page.results) rows.push(row);
  return rows;
}

/** Passes pages on, and reports the number of rows after each. */
export async function* counted<R>(
  pages: AsyncIterable<Envelope<R>>,
  progress: Ask['progress'],
): AsyncGenerator<Envelope<R>> {
  let rows = 0;
  for await (const page of pages) {
    yield page;
    rows += page.results.length;
    progress?.({ done: rows, unit: 'rows' });
  }
}

/** Adds the series to a Problem; returns any other failure unchanged. */
export function failureOf(id: string, error: unknown): unknown {
  return error instanceof Problem ? error.with({ series: id }) : error;
}
