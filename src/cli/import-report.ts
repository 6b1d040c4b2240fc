import type { FileSummary } from '../sources/tally.ts';

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
  const total = summaries.length > 1 ? [`${summaries.length} files: ${counts(sum(summaries))}`] : [];
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

type Counts = Omit<FileSummary, 'file' | 'kind' | 'notes'>;

function counts({ series, vintages, filings, statementsNew, statementsKnown, withdrawn }: Counts): string {
  const withdrawals = withdrawn > 0 ? ` (${many(withdrawn, 'withdrawal')})` : '';
  const parts = [
    `${many(statementsNew, series === 0 && filings > 0 ? 'new trade' : 'new statement')}${withdrawals}`,
    `${grouped(statementsKnown)} known`,
  ];
  return [
    ...(series > 0 || filings === 0 ? [many(series, 'series', 'series')] : []),
    ...(vintages > 0 ? [many(vintages, 'vintage')] : []),
    ...(filings > 0 ? [many(filings, 'filing')] : []),
    ...parts,
  ].join(', ');
}

function many(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

function sum(summaries: readonly FileSummary[]): Counts {
  const total = (key: keyof Counts) => summaries.reduce((all, summary) => all + summary[key], 0);
  return {
    series: total('series'),
    vintages: total('vintages'),
    filings: total('filings'),
    statementsNew: total('statementsNew'),
    statementsKnown: total('statementsKnown'),
    withdrawn: total('withdrawn'),
  };
}
