import type { FileSummary } from '../import/load/tally.ts';

/** What became of the store. */
export type ImportOutcome = {
  readonly path: string;
  readonly created: boolean;
  readonly dryRun: boolean;
  /** Whether a store made at this path answers where the shipped sample did. */
  readonly insteadOfSample: boolean;
};

/** The lines that an import says when it is done. */
export function importReport(summaries: readonly FileSummary[], outcome: ImportOutcome): readonly string[] {
  const files = summaries.flatMap((summary) => [
    `${summary.file}: ${summary.kind}, ${counts(summary)}`,
    ...summary.notes.map((note) => `${summary.file}: ${note}`),
  ]);
  const total = summaries.length > 1 ? [`${summaries.length} files: ${sums(summaries)}`] : [];
  return [...files, ...total, ...storeLines(outcome)];
}

function storeLines({ path, created, dryRun, insteadOfSample }: ImportOutcome): readonly string[] {
  if (dryRun) return [`dry run: nothing was written to ${path}`];
  if (!created) return [`store: ${path}`];
  if (!insteadOfSample) return [`made a new store: ${path}`];
  return [
    `made a new store: ${path}`,
    'it answers from now on, and the shipped sample no longer does (--with-sample begins a new store as a copy of it)',
  ];
}

function counts({ series, vintages, filings, ...said }: FileSummary): string {
  return [
    ...(series > 0 || filings === 0 ? [many(series, 'series', 'series')] : []),
    ...(vintages > 0 ? [many(vintages, 'vintage')] : []),
    ...(filings > 0 ? [many(filings, 'filing')] : []),
    statements(said, series === 0 && filings > 0),
  ].join(', ');
}

type Said = Pick<FileSummary, 'statementsNew' | 'statementsKnown' | 'withdrawn'>;

function statements({ statementsNew, statementsKnown, withdrawn }: Said, areTrades: boolean): string {
  const withdrawals = withdrawn > 0 ? ` (${many(withdrawn, 'withdrawal')})` : '';
  const brought = many(statementsNew, areTrades ? 'new trade' : 'new statement');
  return `${brought}${withdrawals}, ${grouped(statementsKnown)} known`;
}

function many(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Of all files together only what adds up: several may be of one series, or of one vintage of it. */
function sums(summaries: readonly FileSummary[]): string {
  const total = (key: 'statementsNew' | 'statementsKnown' | 'withdrawn') =>
    summaries.reduce((all, summary) => all + summary[key], 0);
  const tradesAlone =
    summaries.every(({ series }) => series === 0) && summaries.some(({ filings }) => filings > 0);
  return statements(
    {
      statementsNew: total('statementsNew'),
      statementsKnown: total('statementsKnown'),
      withdrawn: total('withdrawn'),
    },
    tradesAlone,
  );
}
