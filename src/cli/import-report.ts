import type { FileSummary } from '../sources/tally.ts';

/** The lines that an import says when it is done. */
export function importReport(
  summaries: readonly FileSummary[],
  store: { readonly path: string; readonly created: boolean },
  dryRun: boolean,
): readonly string[] {
  const files = summaries.map((summary) => `${summary.file}: ${summary.kind}, ${counts(summary)}`);
  const total = summaries.length > 1 ? [`${summaries.length} files: ${counts(sum(summaries))}`] : [];
  return [...files, ...total, where(store, dryRun)];
}

function where(
  { path, created }: { readonly path: string; readonly created: boolean },
  dryRun: boolean,
): string {
  if (dryRun) return `dry run: nothing was written to ${path}`;
  return created ? `made a new store: ${path}` : `store: ${path}`;
}

type Counts = Omit<FileSummary, 'file' | 'kind'>;

function counts({ series, vintages, statementsNew, statementsKnown, withdrawn }: Counts): string {
  const withdrawals = withdrawn > 0 ? ` (${many(withdrawn, 'withdrawal')})` : '';
  const parts = [
    `${many(statementsNew, 'new statement')}${withdrawals}`,
    `${grouped(statementsKnown)} known`,
  ];
  return [
    many(series, 'series', 'series'),
    ...(vintages > 0 ? [many(vintages, 'vintage')] : []),
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
    statementsNew: total('statementsNew'),
    statementsKnown: total('statementsKnown'),
    withdrawn: total('withdrawn'),
  };
}
