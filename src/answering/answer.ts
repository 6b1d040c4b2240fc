import type { Client } from '../client/client.ts';
import { type Extent, pagesOf } from '../client/pagination.ts';
import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { RowLayout } from '../operations/field.ts';
import type { Naming, Operation } from '../operations/operation.ts';
import type { Params, ParamTexts, QueryParams } from '../operations/param.ts';
import { Basis, type Demands } from './basis.ts';
import type { TableFiles, TableText } from './table.ts';

/** A note on an answer; `unknown` says why another note could not be made. */
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
    | 'unknown';
  readonly text: string;
};

/** How much of an answer is done; for several series also the number of rows. */
type AnswerProgress = {
  readonly done: number;
  readonly total?: number;
  readonly unit: 'rows' | 'series' | 'requests';
  readonly rows?: number;
};

/** Who asks: a client, what it is told besides the rows, and how. */
export type Asker = {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** What messages call questions and parameters. */
  readonly naming: Naming;
  /** Receives the notes as they arise; without it, no request is made for a note. */
  readonly note?: (note: Note) => void;
  readonly progress?: (progress: AnswerProgress) => void;
  /** Throws for an answer with more rows than its reader may get. Default: no limit. */
  readonly allow?: (rows: number) => void;
  /** Whether an answer without rows is explained, or refused if what was asked about does not exist. */
  readonly explained?: boolean;
  /** How the rows are drawn, which may take a request for each series. Default: false. */
  readonly drawn?: false | { readonly recessions: boolean };
  readonly tables?: TableFiles;
};

/** What one answer needs; made once for each attempt to answer. */
export type Ask = Asker & {
  readonly basis: Basis;
  /** The notes so far, each text once. */
  readonly notes: readonly Note[];
  /** Why a transformation has no results; undefined if there are no values to compute them from. */
  readonly noResult?: <R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
  ) => Promise<Note | undefined>;
};

/** Returns what one answer needs: the client records what it is based on, and refuses what misses the demands. */
export function askOf<A extends Asker>(asker: A, demands: Demands, today: Day): A & Ask {
  const basis = new Basis(demands, today);
  const notes: Note[] = [];
  const note = (one: Note): void => {
    // What is said of two days may be the same.
    if (notes.some(({ text }) => text === one.text)) return;
    notes.push(one);
    asker.note?.(one);
  };
  return { ...asker, ...(asker.note && { note }), basis, notes, client: basis.through(asker.client) };
}

/** A page of rows as bytes, which are valid until the next page is read. */
export type WrittenPage = { readonly bytes: Uint8Array; readonly rows: number };

/** Rows as the bytes of a text; what the pages return is known after the last one. */
export type WrittenRows<O> = TableText & {
  readonly pages: () => AsyncGenerator<WrittenPage, O>;
};

/** What a comparison found: whether anything differs. */
export type Difference = { readonly differs: boolean };

/** The rows of an answer; their layout is known before the first page, and a comparison ends with what it found. */
export type QueryAnswer<R extends Row = Row, O = Difference | undefined> = RowLayout & {
  /** Whether a terminal shows each row as a card. */
  readonly card?: boolean;
  /** The same rows as a text, in which the user's own columns are as the user wrote them. */
  readonly written?: WrittenRows<O>;
  readonly pages: AsyncGenerator<Envelope<R>, O>;
};

/** What is known of an answer after its last page. */
export type Outcome = Partial<Difference> & {
  readonly rows: number;
  /** The first page without its rows; missing if the rows are a text. */
  readonly head?: Omit<Envelope, 'results'>;
  readonly hasMore: boolean;
  /** Continues after the last row, where a limit cut the answer off. */
  readonly cursor?: string;
  readonly basis: Basis;
  /** Returns what a file with notes says of the answer besides its rows; may ask for descriptions of series. */
  about(): Promise<readonly (readonly [name: string, text: string])[]>;
};

/** These values as texts. */
export function textsOf(params: QueryParams): ParamTexts {
  return Object.entries(params).map(([name, value]) => [name, String(value)]);
}

/** All rows of a listing, or those of an extent. */
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

/** The same pages; reports the number of rows so far after each. */
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

/** The same failure; a Problem names the series. */
export function failureOf(id: string, error: unknown): unknown {
  return error instanceof Problem ? error.with({ series: id }) : error;
}
