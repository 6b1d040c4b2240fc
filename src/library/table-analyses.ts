import type { QueryAnswer, QueryContext } from '../analysis/answer.ts';
import type { Demands } from '../analysis/basis.ts';
import type { CheckRow } from '../analysis/layouts.ts';
import type { CheckQuery, JoinQuery } from '../analysis/query.ts';
import { earlier, latestDay } from '../domain/series/date.ts';
import { transformationOf } from '../domain/series/transformation.ts';
import type { Row } from '../operations/envelope.ts';
import { Analyses, type AnalysisSource } from './analyses.ts';
import { type Result, resultOf } from './operation-methods.ts';
import {
  type CheckParams,
  type InputRow,
  type JoinParams,
  type KnownParams,
  tableOf,
} from './table-params.ts';

/** The analyses, including those about a table of the caller's. */
export class TableAnalyses extends Analyses {
  readonly #source: AnalysisSource;

  constructor(source: AnalysisSource) {
    super(source);
    this.#source = source;
  }

  /**
   * The rows of a table in their order, each with the newest value of series that was known on its day. The table is
   * the path of a CSV, TSV or Parquet file, or a list of rows.
   */
  async join(
    table: string | readonly InputRow[],
    ids: string | readonly string[],
    params: JoinParams,
  ): Promise<Result<Row>> {
    const { exact, maxAge, on, withDates = false, withAge: withAges = false, ...known } = params;
    const { answerJoin } = await import('../analysis/join.ts');
    const query: JoinQuery = {
      kind: 'join',
      ...knownIn(known),
      on,
      ids: [ids].flat(),
      withDates,
      withAges,
    };
    return this.#answered({ exact, maxAge }, table, (context) => answerJoin(query, context));
  }

  /**
   * The values of a table that were not known on the day of their row, each with what was known and the first day on
   * which it was; with `allRows` the other values too. The table is the path of a CSV, TSV or Parquet file, or a list
   * of rows.
   */
  async check(table: string | readonly InputRow[], params: CheckParams = {}): Promise<Result<CheckRow>> {
    const { exact, maxAge, on, columns, allRows = false, ...known } = params;
    const { answerCheck } = await import('../analysis/check.ts');
    const named = columns && Object.entries(columns).map(([column, id]) => ({ column, id }));
    const query: CheckQuery = {
      kind: 'check',
      ...knownIn(known),
      ...(on !== undefined && { on }),
      ...(named && { columns: named }),
      allRows,
    };
    return this.#answered({ exact, maxAge }, table, (context) => answerCheck(query, context));
  }

  #answered<R extends Row>(
    demands: Demands,
    given: string | readonly InputRow[],
    answer: (context: QueryContext) => Promise<QueryAnswer<R>>,
  ): Promise<Result<R>> {
    const { signal, naming, onNote, asOf, clock } = this.#source;
    const latest = latestDay(clock());
    const open = async () =>
      typeof given === 'string' ? (await import('../table/open.ts')).openTable(given) : tableOf(given);
    const tables = { open, latest: asOf === undefined ? latest : earlier(asOf, latest) };
    return resultOf(this.#source, demands, ({ client, basis }) =>
      answer({ client, basis, signal, naming, tables, ...(onNote && { note: onNote }) }),
    );
  }
}

function knownIn({
  strict = false,
  lag,
  beyond = 'empty',
  skipMissing,
  ...units
}: Omit<KnownParams, keyof Demands>) {
  const present = Object.fromEntries(Object.entries(units).filter(([, value]) => value !== undefined));
  const transformation = transformationOf(present);
  return {
    table: 'the table',
    strict,
    ...(lag !== undefined && { lag }),
    beyond,
    ...(skipMissing === true && { skipMissing }),
    ...(transformation && { transformation }),
  };
}
