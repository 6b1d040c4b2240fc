import type { ImportResult } from '../../import/import.ts';

type ImportedFile = ImportResult['files'][number];

/** The lines that `asof import` prints when it is done; `replacesSample`: a store at this path takes the place of the sample. */
export function importReport(result: ImportResult, replacesSample: boolean): readonly string[] {
  const { files } = result;
  const lines = files.flatMap((file) => [
    `${file.file}: ${file.kind}, ${counts(file)}`,
    ...file.notes.map((note) => `${file.file}: ${note}`),
  ]);
  const total = files.length > 1 ? [`${files.length} files: ${totals(files)}`] : [];
  return [...lines, ...total, ...storeLines(result, replacesSample)];
}

function storeLines({ store, created, dryRun }: ImportResult, replacesSample: boolean): readonly string[] {
  if (dryRun) return [`dry run: nothing was written to ${store}`];
  if (!created) return [`store: ${store}`];
  if (!replacesSample) return [`made a new store: ${store}`];
  return [
    `made a new store: ${store}`,
    'it answers from now on, and the shipped sample no longer does (--with-sample begins a new store as a copy of it)',
  ];
}

function counts({ series, vintages, filings, ...merged }: ImportedFile): string {
  return [
    ...(series > 0 || filings === 0 ? [many(series, 'series', 'series')] : []),
    ...(vintages > 0 ? [many(vintages, 'vintage')] : []),
    ...(filings > 0 ? [many(filings, 'filing')] : []),
    statements(merged, series === 0 && filings > 0),
  ].join(', ');
}

type StatementCounts = Pick<ImportedFile, 'statementsNew' | 'statementsKnown' | 'withdrawn'>;

function statements(
  { statementsNew, statementsKnown, withdrawn }: StatementCounts,
  areTrades: boolean,
): string {
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

/** Statements of all files together; series and vintages do not add up, because files may share them. */
function totals(files: readonly ImportedFile[]): string {
  const total = (key: 'statementsNew' | 'statementsKnown' | 'withdrawn') =>
    files.reduce((all, file) => all + file[key], 0);
  const tradesAlone = files.every(({ series }) => series === 0) && files.some(({ filings }) => filings > 0);
  return statements(
    {
      statementsNew: total('statementsNew'),
      statementsKnown: total('statementsKnown'),
      withdrawn: total('withdrawn'),
    },
    tradesAlone,
  );
}
